"""A headless Chromium that is driven over a pipe by its DevTools protocol; needs nothing but Python."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PROGRAMS = ("chromium-headless-shell", "chromium", "google-chrome", "chrome")


def find_chromium():
    """Path of the browser, None where there is none."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class Browser:
    """One browser with one page at a time; use it as a context."""

    def __init__(self, program, width=1100, height=900):
        self.profile = tempfile.mkdtemp(prefix="trammel-browser-")
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()
        options = [
            "--headless", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage",
            "--hide-scrollbars", f"--window-size={width},{height}", f"--user-data-dir={self.profile}",
            "--disable-background-networking", "--proxy-server=127.0.0.1:9",  # nothing may be fetched
        ]
        if os.geteuid() == 0:
            options.append("--no-sandbox")

        def connect():  # the protocol's pipes are descriptors 3 and 4
            first, second = os.dup(to_browser), os.dup(from_browser)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [program, *options, "about:blank"], preexec_fn=connect, close_fds=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.events, self.number, self.session = b"", [], 0, None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.input)
        os.close(self.output)
        shutil.rmtree(self.profile, ignore_errors=True)

    def receive(self, seconds):
        """The next message, None if none comes in time."""
        end = time.monotonic() + seconds
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.input], [], [], max(0, end - time.monotonic()))
            if not ready:
                return None
            data = os.read(self.input, 1 << 16)
            assert data, "the browser has ended"
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.output, json.dumps(request).encode() + b"\0")
        while True:
            message = self.receive(60)
            assert message is not None, f"the browser does not answer {method}"
            if message.get("id") == self.number:
                assert "error" not in message, message
                return message["result"]
            self.events.append(message)

    def wait(self, method, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if any(event.get("method") == method for event in self.events):
                return
            message = self.receive(max(0, end - time.monotonic()))
            if message:
                self.events.append(message)
        raise AssertionError(f"{method} did not come")

    def open(self, path):
        self.events.clear()
        self.call("Page.navigate", url=path.resolve().as_uri())
        self.wait("Page.loadEventFired")

    def evaluate(self, expression):
        """The value of an expression of the page, which may be a promise."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def wait_until(self, expression, seconds=20):
        end = time.monotonic() + seconds
        while not self.evaluate(expression):
            assert time.monotonic() < end, f"{expression} does not become true"
            time.sleep(0.05)

    def problems(self):
        """Exceptions, errors and warnings of the console since the page was opened."""
        self.evaluate("1")  # what was sent before is here now
        found = []
        for event in self.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(parameters["exceptionDetails"])
            elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                found.append(parameters["entry"])
            elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
                found.append(parameters["args"])
        return found

    def requests(self):
        """Addresses of what the page has loaded."""
        self.evaluate("1")
        return [event["params"]["request"]["url"] for event in self.events if event.get("method") == "Network.requestWillBeSent"]

    def drag(self, selector, dx, dy):
        """Drags with the mouse from the middle of an element."""
        box = json.loads(self.evaluate(
            f"(e => {{ e.scrollIntoView({{block: 'center', behavior: 'instant'}}); const b = e.getBoundingClientRect();"
            f" return JSON.stringify([b.x + b.width / 2, b.y + b.height / 2]); }})(document.querySelector({selector!r}))"))
        x, y = box
        for kind, px, py, buttons in (("mousePressed", x, y, 1), ("mouseMoved", x + dx / 2, y + dy / 2, 1),
                                      ("mouseMoved", x + dx, y + dy, 1), ("mouseReleased", x + dx, y + dy, 0)):
            self.call("Input.dispatchMouseEvent", type=kind, x=px, y=py, button="left", buttons=buttons, clickCount=1)

    def screenshot(self, path, whole=False):
        parameters = {"format": "png"}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            parameters.update(captureBeyondViewport=True,
                              clip={"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1})
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", **parameters)["data"]))
