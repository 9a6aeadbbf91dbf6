"""Chromium through chromedriver: WebDriver over HTTP."""

import http.client
import json
import os
import shutil
import subprocess

from browser import PATHS, Browser, BrowserError, free_port, retried


class Chromium(Browser):
    name = 'chromium'

    def __init__(self, width=1280, height=900):
        port = free_port()
        self.process = subprocess.Popen(
            [shutil.which('chromedriver'), f'--port={port}'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.port, self.path = port, ''
        args = [
            '--headless=new',
            '--disable-gpu',
            '--no-first-run',
            '--disable-dev-shm-usage',
            '--enable-precise-memory-info',
            f'--window-size={width},{height}',
            '--force-device-scale-factor=1',
            '--js-flags=--expose-gc',
        ]
        if os.getuid() == 0:
            args.append('--no-sandbox')
        options = {'args': args, 'binary': shutil.which('chromium')}
        # Whatever the page would say in the console is read by the tests.
        wanted = {
            'browserName': 'chrome',
            'goog:chromeOptions': options,
            'goog:loggingPrefs': {'browser': 'ALL'},
            'timeouts': {'script': 120_000},
        }
        session = retried(lambda: self.ask('POST', '/session', {'capabilities': {'alwaysMatch': wanted}}))
        self.path = f'/session/{session["sessionId"]}'

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=300)
        connection.request(
            method, path, None if body is None else json.dumps(body), {'Content-Type': 'application/json'}
        )
        value = json.loads(connection.getresponse().read())['value']
        connection.close()
        if isinstance(value, dict) and 'error' in value:
            raise BrowserError(f"{value['error']}: {value['message'][:400]}")
        return value

    def command(self, name, **body):
        method, path = PATHS[name]
        return self.ask(method, f'{self.path}/{path}', body if method == 'POST' else None)

    def developer(self, name, **params):
        """A command of the DevTools protocol."""
        return self.ask('POST', f'{self.path}/goog/cdp/execute', {'cmd': name, 'params': params})

    def said(self):
        """What the browser has told in its console since it was last asked."""
        return [entry['message'] for entry in self.ask('POST', f'{self.path}/se/log', {'type': 'browser'})]

    def dark(self, is_dark):
        self.developer(
            'Emulation.setEmulatedMedia',
            features=[{'name': 'prefers-color-scheme', 'value': 'dark' if is_dark else 'light'}],
        )

    def view(self, width, height, scale=1):
        self.developer(
            'Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=scale, mobile=False
        )

    def close(self):
        try:
            self.ask('DELETE', self.path)
        finally:
            self.process.terminate()
            self.process.wait(20)
