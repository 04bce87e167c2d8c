"""Audits: what a resolver makes of gender, names, pronouns and small changes of a text.

from coindex.audit.run import run_audit
from coindex.audit.subject import ResolverSubject
audit = run_audit(ResolverSubject("neural"))

Each measurement is one module in `measurements/builtin/`, found by its name: see
`measurements.protocol`.
"""
