"""A headless Chromium, controlled by the DevTools protocol over two pipes: no driver, no port."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe"),
)

PIPES = 'exec "$0" "$@" 3<&{read} 4>&{write}'
"""The browser reads from descriptor 3 and writes to 4."""


def find_browser() -> str | None:
    """Path of an installed Chromium, or None."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """A browser process with one page and no network.

    Args:
        program: the browser.
        seconds: how long an answer may take.

    Raises:
        TimeoutError: no answer in time.
        RuntimeError: the browser ended, or refused a command.
    """

    def __init__(self, program: str, *, seconds: float = 60) -> None:
        self.events: list[dict[str, Any]] = []
        self._seconds, self._sent, self._rest, self._session = seconds, 0, b"", ""
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        browser_end, self._to = os.pipe()
        self._from, answers = os.pipe()
        self._process = subprocess.Popen(
            [
                *("bash", "-c", PIPES.format(read=browser_end, write=answers), program),
                *(*FLAGS, f"--user-data-dir={self._folder.name}", "about:blank"),
            ],
            pass_fds=(browser_end, answers),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(browser_end)
        os.close(answers)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call(
            "Network.emulateNetworkConditions",
            **{"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0},
        )

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._session = ""
            if self._process.poll() is None:
                self.call("Browser.close")
                self._process.wait(10)
        except (TimeoutError, RuntimeError, OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        finally:
            os.close(self._to)
            os.close(self._from)
            self._folder.cleanup()

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The answer to a command of the protocol; what the page reports meanwhile is kept."""
        self._sent += 1
        message: dict[str, Any] = {"id": self._sent, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._write(json.dumps(message).encode() + b"\0")
        until = time.monotonic() + self._seconds
        while True:
            answer = self._read(until)
            if answer.get("id") == self._sent:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return dict(answer["result"])
            self.events.append(answer)

    def open(self, page: Path, width: int, *, dark: bool = False) -> float:
        """Opens a file in a window of that width; seconds until it was loaded and laid out."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            **{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500},
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.events.clear()
        begun = time.perf_counter()
        self.call("Page.navigate", url=page.resolve().as_uri())
        until = time.monotonic() + self._seconds
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(self._read(until))
        self.call("Page.getLayoutMetrics")
        return time.perf_counter() - begun

    def run(self, script: str) -> Any:
        """The value of an expression in the page; a promise's is waited for."""
        answer = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:2000])
        return answer["result"].get("value")

    def press(self, key: str, code: int, text: str = "") -> None:
        """A key of the keyboard, down and up."""
        key_event: Mapping[str, Any] = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **key_event)
        self.call("Input.dispatchKeyEvent", type="keyUp", **key_event)

    def picture(self, path: Path) -> None:
        """A PNG of what is in sight."""
        shot = self.call("Page.captureScreenshot")
        path.write_bytes(base64.b64decode(shot["data"]))

    def complaints(self) -> list[str]:
        """What the console got, errors of scripts, and requests to anybody else."""
        complaints = []
        for event in self.events:
            about = event.get("params", {})
            if event["method"] in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown"):
                complaints.append(f"{event['method']}: {json.dumps(about)[:500]}")
            elif event["method"] == "Log.entryAdded":
                complaints.append(about["entry"]["text"])
            elif event["method"] == "Network.requestWillBeSent":
                url = about["request"]["url"]
                complaints += (
                    [] if url.startswith(("file:", "data:")) else [f"asked for {url[:200]}"]
                )
        return complaints

    def _write(self, message: bytes) -> None:
        while message:
            message = message[os.write(self._to, message) :]

    def _read(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._from], [], [], left)[0]:
                raise TimeoutError("the browser did not answer in time")
            more = os.read(self._from, 1 << 20)
            if not more:
                raise RuntimeError("the browser has ended")
            self._rest += more
        message, _, self._rest = self._rest.partition(b"\0")
        return dict(json.loads(message))
