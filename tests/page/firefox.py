"""Firefox through its Marionette port: WebDriver as JSON over a socket."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile

from browser import Browser, BrowserError, free_port, retried


class Firefox(Browser):
    name = 'firefox'

    def __init__(self, width=1280, height=900):
        port = free_port()
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        settings = {
            'marionette.port': port,
            'browser.shell.checkDefaultBrowser': False,
            'datareporting.policy.dataSubmissionEnabled': False,
            'app.update.disabledForTesting': True,
            'browser.startup.page': 0,
            'network.captive-portal-service.enabled': False,
            'network.connectivity-service.enabled': False,
            'services.settings.server': 'data:,',
            'toolkit.startup.max_resumed_crashes': -1,
        }
        lines = [f'user_pref({json.dumps(name)}, {json.dumps(value)});' for name, value in settings.items()]
        (pathlib.Path(self.profile.name) / 'user.js').write_text('\n'.join(lines))
        command = [
            shutil.which('firefox-esr') or shutil.which('firefox'),
            '--headless',
            '--marionette',
            '--no-remote',
            '--profile',
            self.profile.name,
        ]
        environment = {
            **os.environ,
            'HOME': self.profile.name,
            'MOZ_HEADLESS_WIDTH': str(width),
            'MOZ_HEADLESS_HEIGHT': str(height),
        }
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        self.socket = retried(lambda: socket.create_connection(('127.0.0.1', port), 300), 60)
        self.waiting, self.number = b'', 0
        self.receive()
        self.send('NewSession', {'capabilities': {'alwaysMatch': {'timeouts': {'script': 120_000}}}})

    def receive(self):
        while b':' not in self.waiting:
            self.waiting += self.more()
        length, self.waiting = self.waiting.split(b':', 1)
        while len(self.waiting) < int(length):
            self.waiting += self.more()
        message, self.waiting = self.waiting[: int(length)], self.waiting[int(length) :]
        return json.loads(message)

    def more(self):
        got = self.socket.recv(1 << 20)
        if not got:
            raise BrowserError('firefox is gone')
        return got

    def send(self, name, params):
        self.number += 1
        message = json.dumps([0, self.number, f'WebDriver:{name}', params]).encode()
        self.socket.sendall(b'%d:%b' % (len(message), message))
        _, _, error, value = self.receive()
        if error:
            raise BrowserError(f"{error['error']}: {error['message'][:400]}")
        return value

    def command(self, name, **params):
        if name in ('ExecuteScript', 'ExecuteAsyncScript'):
            # In the page's own world, as a console would.
            params |= {'sandbox': None, 'newSandbox': False}
        if name == 'TakeScreenshot':
            params |= {'full': False}
        value = self.send(name, params)
        return value['value'] if isinstance(value, dict) and 'value' in value else value

    def said(self):
        return []

    def close(self):
        try:
            self.socket.sendall(
                b'%d:%b' % ((lambda text: (len(text), text))(b'[0,99999,"Marionette:Quit",{"flags":["eForceQuit"]}]'))
            )
            self.process.wait(20)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait(20)
        self.profile.cleanup()
