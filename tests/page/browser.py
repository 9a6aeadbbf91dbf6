"""A browser to click, type and read in, over WebDriver: Chromium through chromedriver, Firefox through its Marionette port.

Only Python's own library is used. Commands are those of the W3C's WebDriver; the two differ in how they travel.
"""

import base64
import pathlib
import socket
import time

ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'
KEYS = {
    'Enter': '\ue007',
    'Escape': '\ue00c',
    'ArrowRight': '\ue014',
    'ArrowLeft': '\ue012',
    'ArrowDown': '\ue015',
    'ArrowUp': '\ue013',
    'Tab': '\ue004',
    'Home': '\ue011',
    'End': '\ue010',
    'Backspace': '\ue003',
}

# Names of WebDriver's commands, and where they lie under /session/ID.
PATHS = {
    'Navigate': ('POST', 'url'),
    'ExecuteScript': ('POST', 'execute/sync'),
    'ExecuteAsyncScript': ('POST', 'execute/async'),
    'TakeScreenshot': ('GET', 'screenshot'),
    'PerformActions': ('POST', 'actions'),
    'SetWindowRect': ('POST', 'window/rect'),
    'SetTimeouts': ('POST', 'timeouts'),
    'Print': ('POST', 'print'),
    'Refresh': ('POST', 'refresh'),
    'Back': ('POST', 'back'),
}


class BrowserError(Exception):
    pass


def free_port():
    with socket.socket() as own:
        own.bind(('127.0.0.1', 0))
        return own.getsockname()[1]


def retried(what, seconds=30):
    end = time.monotonic() + seconds
    while True:
        try:
            return what()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


class Browser:
    """What tests do, whatever the browser."""

    def go(self, url):
        self.command('Navigate', url=url)

    def run(self, script, *args):
        return self.command('ExecuteScript', script=script, args=list(args))

    def run_later(self, script, *args):
        """A script that calls its last argument with the result."""
        return self.command('ExecuteAsyncScript', script=script, args=list(args))

    def text(self, selector):
        return self.run('const own = document.querySelector(arguments[0]); return own && own.textContent', selector)

    def count(self, selector):
        return self.run('return document.querySelectorAll(arguments[0]).length', selector)

    def wait(self, script, *args, seconds=20):
        """Waits until a script returns something, and gives it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = self.run(f'return ({script})', *args)
            if found:
                return found
            time.sleep(0.02)
        raise BrowserError(f'waited {seconds} s in vain for {script}')

    def click(self, selector):
        element = self.wait('document.querySelector(arguments[0])', selector)
        self.run('arguments[0].scrollIntoView({block: "nearest", inline: "nearest"})', element)
        move = {'type': 'pointerMove', 'duration': 0, 'origin': element, 'x': 0, 'y': 0}
        self.command(
            'PerformActions',
            actions=[
                {
                    'type': 'pointer',
                    'id': 'mouse',
                    'actions': [move, {'type': 'pointerDown', 'button': 0}, {'type': 'pointerUp', 'button': 0}],
                }
            ],
        )

    def hover(self, selector):
        element = self.wait('document.querySelector(arguments[0])', selector)
        self.run('arguments[0].scrollIntoView({block: "nearest"})', element)
        move = {'type': 'pointerMove', 'duration': 0, 'origin': element, 'x': 0, 'y': 0}
        self.command('PerformActions', actions=[{'type': 'pointer', 'id': 'mouse', 'actions': [move]}])

    def press(self, *keys):
        """Presses keys one after another, named or letters."""
        actions = []
        for key in keys:
            for letter in [KEYS[key]] if key in KEYS else key:
                actions += [{'type': 'keyDown', 'value': letter}, {'type': 'keyUp', 'value': letter}]
        self.command('PerformActions', actions=[{'type': 'key', 'id': 'keys', 'actions': actions}])

    def size(self, width, height):
        self.command('SetWindowRect', width=width, height=height)

    def screenshot(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.command('TakeScreenshot')))
