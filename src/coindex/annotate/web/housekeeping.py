"""What the server does beside answering: sending webhooks, removing what was deleted a week ago."""

from __future__ import annotations

import logging
import threading

from coindex.annotate.store.database import Database
from coindex.annotate.store.lifecycle import purge
from coindex.annotate.webhooks.deliveries import send_due

EVERY = 5.0
"""Seconds between two looks at what is due."""
PURGE_EVERY = 720
"""How many looks there are between two removals: an hour."""

logger = logging.getLogger(__name__)


class Housekeeping(threading.Thread):
    """Sends webhooks every few seconds and removes deleted documents every hour."""

    def __init__(self, database: Database, *, private: bool = False) -> None:
        super().__init__(name="housekeeping", daemon=True)
        self.database, self.private = database, private
        self.stopped = threading.Event()

    def run(self) -> None:
        """Work until stopped; a failure is logged and tried again."""
        looks = 0
        while not self.stopped.is_set():
            try:
                if looks % PURGE_EVERY == 0:
                    self.remove()
                send_due(self.database, private=self.private)
            except Exception as error:  # a busy database or a full disk may be better later
                logger.error("housekeeping: %s", error)
            looks += 1
            self.stopped.wait(EVERY)

    def remove(self) -> None:
        """Remove what was deleted more than a week ago."""
        with self.database.write() as connection:
            documents, projects = purge(connection, self.database.clock())
        if documents or projects:
            logger.info("removed for good: %d documents, %d projects", documents, projects)
