"""A browser that stops answering fails no other test, and holds none up."""

from __future__ import annotations

import os
import signal
from typing import Any

import pytest

from browser_fixtures import Browsers

pytestmark = pytest.mark.browser


def test_a_browser_that_does_not_answer_is_replaced(browsers: Browsers) -> None:
    own = Browsers(browsers.play, browsers.path, patience=1)
    first = own.get()
    first.new_context().new_page()
    for process in own.processes():
        os.kill(process, signal.SIGSTOP)
    own.tidy()
    assert not first.is_connected()
    assert own.processes() == []
    second: Any = own.get()
    page = second.new_page()
    page.set_content("<p>there</p>")
    assert page.inner_text("p") == "there"
    own.tidy()
    assert second.contexts == []
    assert own.get() is second, "one that answers is kept"
    own.close()
    assert own.processes() == []
