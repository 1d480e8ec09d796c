import { spawn, spawnSync } from 'node:child_process';

export class Missing extends Error {}

/** @param {string} name */
export function isThere(name) {
  return spawnSync(name, ['--version'], { stdio: 'ignore' }).error === undefined;
}

/**
 * SOURCE_DATE_EPOCH, or the time of the last commit.
 * @param {string} root
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {number}
 */
export function releaseTime(root, env = process.env) {
  const given = env['SOURCE_DATE_EPOCH'];
  const log = () => spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }).stdout;
  const text = (given ?? log() ?? '').trim();
  if (/^\d{1,11}$/.test(text)) return Number(text);
  throw new Missing(
    given === undefined
      ? 'Here is no commit to take the time from: set SOURCE_DATE_EPOCH to seconds.'
      : 'SOURCE_DATE_EPOCH is no number of seconds.',
  );
}

/**
 * One thread, because several threads give other bytes.
 * @param {Buffer} bytes
 * @param {string} level
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<Buffer>}
 */
export function xz(bytes, level, env = { PATH: process.env['PATH'] }) {
  return new Promise((resolve, reject) => {
    const child = spawn('xz', ['-T1', level, '-c'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    /** @type {Buffer[]} */
    const parts = [];
    child.stdout.on('data', (part) => parts.push(part));
    child.once('error', () =>
      reject(new Missing('There is no xz here (apt-get install xz-utils, brew install xz).')),
    );
    child.once('close', (code) => {
      if (code === 0) resolve(Buffer.concat(parts));
      else reject(new Missing(`xz ended with ${code}.`));
    });
    child.stdin.on('error', () => undefined).end(bytes);
  });
}
