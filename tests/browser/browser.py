"""Drives a headless Chromium through its pipe: no other package is needed."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import threading
import time

PROGRAMS = ["chromium", "chromium-browser", "google-chrome"]


def program():
    """The browser's path; None if there is none."""
    return next((found for found in map(shutil.which, PROGRAMS) if found), None)


class Navigated(RuntimeError):
    """The page was left before it answered."""


class Browser:
    """A browser with one page. Errors of scripts and of the console are collected in `errors`."""

    def __init__(self, width=1280, height=900):
        self.folder = tempfile.mkdtemp(prefix="tictune-browser-")
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()

        def connect():
            # The browser reads commands from 3 and writes answers to 4. The copies are out of the way of both.
            source, sink = os.dup2(theirs_in, 60), os.dup2(theirs_out, 61)
            os.dup2(source, 3)
            os.dup2(sink, 4)

        self.process = subprocess.Popen(
            [program(), "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu",
             "--no-first-run", "--disable-dev-shm-usage", "--disable-background-networking", "--hide-scrollbars",
             f"--user-data-dir={self.folder}", "about:blank"],
            preexec_fn=connect, close_fds=False, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.writer = os.fdopen(ours_out, "wb")
        self.reader = os.fdopen(ours_in, "rb")
        self.number = 0
        self.answers = {}
        self.arrived = threading.Condition()
        self.errors = []
        threading.Thread(target=self._read, daemon=True).start()
        target = self._command("Target.createTarget", {"url": "about:blank"})["targetId"]
        self.session = None
        self.session = self._command("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self._command(domain + ".enable")
        self.size(width, height)

    def _read(self):
        rest = b""
        while chunk := self.reader.read1(1 << 16):
            *messages, rest = (rest + chunk).split(b"\0")
            for message in map(json.loads, messages):
                self._take(message)

    def _take(self, message):
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"]["text"] + " " + params["entry"].get("url", ""))
        elif method == "Runtime.consoleAPICalled" and params["type"] == "error":
            self.errors.append(str(params["args"]))
        with self.arrived:
            if "id" in message:
                self.answers[message["id"]] = message
            self.arrived.notify_all()

    def _command(self, method, params=None):
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": params or {}}
        if getattr(self, "session", None):
            message["sessionId"] = self.session
        self.writer.write(json.dumps(message).encode() + b"\0")
        self.writer.flush()
        with self.arrived:
            if not self.arrived.wait_for(lambda: number in self.answers, timeout=60):
                raise TimeoutError(method)
            answer = self.answers.pop(number)
        if "error" in answer:
            kind = Navigated if "navigated" in answer["error"].get("message", "") else RuntimeError
            raise kind(f"{method}: {answer['error']}")
        return answer["result"]

    def size(self, width, height, phone=False):
        """The size of the window in CSS pixels."""
        self._command("Emulation.setDeviceMetricsOverride",
                      {"width": width, "height": height, "deviceScaleFactor": 2 if phone else 1, "mobile": phone})

    def dark(self, dark=True):
        """Whether the person prefers dark pages."""
        feature = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._command("Emulation.setEmulatedMedia", {"features": [feature]})

    def open(self, url):
        """Opens a page and waits until it is there."""
        self._command("Page.navigate", {"url": url})
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def run(self, script):
        """The value of an expression in the page."""
        params = {"expression": script, "returnByValue": True, "awaitPromise": True}
        result = self._command("Runtime.evaluate", params)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait(self, script, seconds=90):
        """Waits until an expression holds in the page. Elements hold, too, though they have no value here."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if self.run(f"Boolean({script})"):
                    return
            except Navigated:
                # The page was left while it was asked; the next one is asked again.
                pass
            time.sleep(0.05)
        raise TimeoutError(f"{script} on {self.run('location.href')}: {self.run('document.body.innerText')[:2000]}")

    def press(self, key, text=""):
        """Presses a key where the focus is."""
        codes = {"Enter": 13, "Tab": 9, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
        event = {"key": key, "windowsVirtualKeyCode": codes.get(key, ord(key.upper()[0])), "text": text}
        self._command("Input.dispatchKeyEvent", {"type": "keyDown", **event})
        self._command("Input.dispatchKeyEvent", {"type": "keyUp", **event, "text": ""})

    def point(self, x, y, kind="mouseMoved"):
        """Moves the pointer to a place of the window."""
        button = {} if kind == "mouseMoved" else {"button": "left", "clickCount": 1}
        self._command("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **button})

    def drag(self, start, end):
        """Drags from one place of the window to another."""
        for place, kind in [(start, "mouseMoved"), (start, "mousePressed"), (end, "mouseMoved"), (end, "mouseReleased")]:
            self.point(*place, kind)

    def screenshot(self, path, whole=False):
        """Writes what is seen, or the whole page, as PNG."""
        params = {"format": "png", "captureBeyondViewport": whole}
        if whole:
            size = self._command("Page.getLayoutMetrics")["cssContentSize"]
            params["clip"] = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        with open(path, "wb") as file:
            file.write(base64.b64decode(self._command("Page.captureScreenshot", params)["data"]))

    def close(self):
        """Ends the browser."""
        try:
            self.session = None
            self._command("Browser.close")
        except (TimeoutError, BrokenPipeError, RuntimeError):
            self.process.kill()
        self.process.wait(timeout=10)
        shutil.rmtree(self.folder, ignore_errors=True)
