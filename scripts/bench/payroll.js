import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';

/** @typedef {import('./stage.js').Stage} Stage */

/** @param {Stage} stage @param {NodeJS.ProcessEnv} env @param {string[]} words */
export function timedRun(stage, env, words) {
  const args = ['-f', '%e %M', process.execPath, stage.svc, ...words, '--quiet', '--json'];
  const { status, stderr } = spawnSync('/usr/bin/time', args, {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) throw new Error(`svc ${words.join(' ')} ended with ${status}:\n${stderr}`);
  const [seconds = 0, kilobytes = 0] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
  return { seconds, megabytes: (kilobytes * 1024) / 1e6 };
}

/** @param {string} file @param {number} rows @param {(row: number) => string} [reference] */
export async function writePayroll(file, rows, reference = (row) => `pay-${row}`) {
  const stream = createWriteStream(file);
  stream.write(
    'reference,amount,country,currency,method,beneficiary.name,beneficiary.document.type,beneficiary.document.number,' +
      'beneficiary.bank_code,beneficiary.account_number\n',
  );
  for (let row = 0; row < rows; row += 1) {
    const phone = `0412${String(row).padStart(7, '0')}`;
    const line = `${reference(row)},1.00,VE,VES,mobile_payment,Ana Pérez,V,${10_000_000 + row},0102,${phone}\n`;
    if (!stream.write(line)) await once(stream, 'drain');
  }
  await new Promise((resolve) => stream.end(resolve));
}

/** @param {Stage} stage @param {number} [events] */
export async function fastServer(stage, events = 0) {
  const env = stage.environment();
  const capabilities = stage.once(['capabilities', '-o', 'json'], env).trim();
  /** @type {{ countries: { code: string }[] }} */
  const { countries } = JSON.parse(capabilities);
  const banks = Object.fromEntries(
    countries.map(({ code }) => [code, stage.once(['banks', '--country', code, '-o', 'json'], env).trim()]),
  );
  const path = join(import.meta.dirname, 'fast-server.js');
  const child = stage.start([path, JSON.stringify({ capabilities, banks, events })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise((resolve) =>
    child.stdout?.once('data', (chunk) => resolve(String(chunk).trim())),
  );
  return {
    url: String(url),
    sentSeconds: async () => {
      const answer = await fetch(`${String(url)}/sent`);
      return /** @type {{ seconds: number }} */ (await answer.json()).seconds;
    },
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'close');
    },
  };
}
