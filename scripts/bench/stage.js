import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * @typedef {{ base_url: string, sandbox_base_url: string, control_url: string, api_key: string, pid: number }} Ready the sandbox's ready line
 */

const END_MS = 5000;

export class Stage {
  /** @type {Set<import('node:child_process').ChildProcess>} */
  #children = new Set();

  /** @param {string} root */
  constructor(root) {
    this.root = root;
    this.svc = join(root, 'bin/run.js');
    this.folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
    this.homes = 0;
  }

  /**
   * NODE_EXTRA_CA_CERTS is removed too, because Node reads it at every start.
   * @param {Record<string, string>} [more]
   */
  environment(more = {}) {
    this.homes += 1;
    const home = join(this.folder, `home-${this.homes}`);
    mkdirSync(home);
    const kept = Object.entries(process.env).filter(([name]) => !/^(SVC_|XDG_|NODE_|npm_|DEBUG$)/.test(name));
    return { ...Object.fromEntries(kept), HOME: home, NO_COLOR: '1', ...more };
  }

  /** @param {string[]} args @param {NodeJS.ProcessEnv} env */
  once(args, env) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [this.svc, ...args], {
      env,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`svc ${args.join(' ')} ended with ${status}:\n${stderr}`);
    return stdout;
  }

  /** @param {string} store @param {string[]} [flags] @returns {Promise<Ready & { stop: () => Promise<void> }>} */
  async sandbox(store, flags = []) {
    const args = ['sandbox', 'start', '--port', '0', '--store', store, '--json', ...flags];
    const child = this.start([this.svc, ...args], {
      env: this.environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const line = await new Promise((resolve, reject) => {
      let text = '';
      let notes = '';
      child.stderr?.on('data', (chunk) => (notes += String(chunk)));
      child.once('close', () =>
        reject(new Error(`svc ${args.join(' ')} ended before it was ready:\n${notes}`)),
      );
      child.stdout?.on('data', (chunk) => {
        text += String(chunk);
        if (text.includes('\n')) resolve(text);
      });
    });
    return { ...JSON.parse(line), stop: () => this.#stop(child) };
  }

  /** @param {string[]} args @param {import('node:child_process').SpawnOptions} options */
  start(args, options) {
    const child = spawn(process.execPath, args, options);
    this.#children.add(child);
    child.once('close', () => this.#children.delete(child));
    return child;
  }

  async close() {
    await Promise.all([...this.#children].map((child) => this.#stop(child)));
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** @param {string} reason */
  abandon(reason) {
    console.error(`Benchmarks: ${reason}.`);
    for (const child of this.#children) child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
    process.exit(1);
  }

  /** @param {import('node:child_process').ChildProcess} child */
  async #stop(child) {
    if (!this.#children.has(child)) return;
    const closed = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
    await closed;
    clearTimeout(timer);
  }
}
