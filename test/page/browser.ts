/** A chromium that is installed on this machine, and a page in it that notes what goes wrong. Where there is none, what needs it is skipped. */
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

/** Undefined where no chromium is found: `apt-get install chromium`, or name one in `CHROMIUM`. */
export const CHROMIUM = PLACES.find((path) => path !== '' && existsSync(path));

let opened: Promise<Browser> | null = null;

/** One for all files that share a process: it ends with that. A name of another site leads to this machine, as a rebinding does. */
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
    // What a test starts ends with it anyway; no signal of the tests is the browser's.
    ...{ handleSIGHUP: false, handleSIGINT: false, handleSIGTERM: false },
  });
}

/** A page of a profile of its own, closed with the test. */
export async function openTab(url: string, options: BrowserContextOptions = {}) {
  const context = await (await openBrowser()).newContext(options);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  /** What the console said as an error and what was thrown; a refusal of the server is not among them. */
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
