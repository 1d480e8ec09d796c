import { existsSync } from 'node:fs';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';

const PLACES = [
  process.env['CHROMIUM'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

export const CHROMIUM = PLACES.find((path) => path !== '' && existsSync(path));

let opened: Promise<Browser> | null = null;

export async function openBrowser(): Promise<Browser> {
  if (opened === null || !(await opened).isConnected()) opened = launch();
  return opened;
}

function launch(): Promise<Browser> {
  return chromium.launch({
    ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
    args: [
      '--host-resolver-rules=MAP attacker.example 127.0.0.1',
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
    ...{ handleSIGHUP: false, handleSIGINT: false, handleSIGTERM: false },
  });
}

export async function openTab(url: string, options: BrowserContextOptions = {}) {
  const context = await (await openBrowser()).newContext(options);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('console', (message) => {
    const isRefusal = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isRefusal) wrong.push(message.text());
  });
  await page.goto(url);
  return { page, wrong };
}

export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first();
