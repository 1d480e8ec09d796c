import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { digest, DiskHistory, materialise, snapshot } from './disk.js';
import { SCENARIOS } from './scenarios.js';
import { startService } from './service.js';
import { readTrace, record } from './trace.js';

/** @typedef {import('./person.js').World} World */
/** @typedef {import('./scenarios.js').Scenario} Scenario */
/** @typedef {import('./disk.js').Entry} Entry */
/** @typedef {import('./service.js').Arrival} Arrival */
/** @typedef {'cut' | 'killed before' | 'cut before'} Story what was before the run that is cut: nothing, a kill, another cut */
/**
 * @typedef {object} Recorded
 * @property {string} scenario
 * @property {readonly import('./trace.js').SystemCall[]} calls
 * @property {DiskHistory} history
 * @property {readonly Arrival[]} initial what the service had before
 * @property {readonly Arrival[]} arrivals what it had afterwards
 * @property {readonly { id: string, at: number }[]} accepted what a sender was told was taken, and when
 */
/**
 * @typedef {object} Bench
 * @property {string} folder of its own, for all that is written
 * @property {string} program how svc is started with Node
 * @property {import('./service.js').Facts} facts
 */

const KEY = `svc_test_${'ab12'.repeat(12)}`;
const SECRET = 'whsec_testtesttesttesttesttest1234567890';
/** Two processes at once are recorded up to ten times, until the order of all their calls is seen. */
const TAKES = 10;
/** A line may be refused the second time because of the first run: a request is open, or the profile exists. */
const REFUSED_AGAIN = [13, 2];
/** A recovery takes a second. A recovery that hangs is a finding. */
const PATIENCE_MS = 60_000;

/** @param {string} program @param {string} home */
export async function factsOf(program, home) {
  const env = { PATH: process.env['PATH'], HOME: home };
  /** @param {string} path @returns {Promise<unknown>} */
  const ask = async (path) => JSON.parse((await type([program, 'api', 'GET', path], { cwd: home, env })).out);
  const capabilities = /** @type {{ countries: { code: string }[] }} */ (await ask('/v2/capabilities'));
  const paths = ['/v2/balances', ...capabilities.countries.map(({ code }) => `/v2/banks?country=${code}`)];
  const answers = await Promise.all(paths.map(async (path) => [path, await ask(path)]));
  return {
    '/v2/capabilities': capabilities,
    .../** @type {import('./service.js').Facts} */ (Object.fromEntries(answers)),
  };
}

class BrokenOff extends Error {}

export class Stage {
  /** @type {Scenario} */
  scenario;
  /** @type {string} */
  root;
  /** @type {import('./service.js').Service} */
  service;
  #name;
  #bench;

  /** @param {string} name @param {Bench} bench @param {import('./service.js').Service} service */
  constructor(name, bench, service) {
    const scenario = SCENARIOS[name];
    if (scenario === undefined) throw new Error(`there is no scenario ${name}`);
    this.scenario = scenario;
    this.service = service;
    this.#name = name;
    this.#bench = bench;
    this.root = join(bench.folder, 'home');
    for (const path of [this.root, this.#elsewhere]) mkdirSync(path, { recursive: true, mode: 0o700 });
  }

  /** @param {string} name @param {Bench} bench @returns {Promise<Stage>} */
  static async open(name, bench) {
    return new Stage(name, bench, await startService(bench.facts));
  }

  close() {
    return this.service.close();
  }

  /** @param {() => number} random @returns {World} */
  world(random, program = this.#bench.program) {
    const { root, service } = this;
    return {
      ...{ root, service, random },
      svc: (words, stdin) =>
        type([program, ...words], {
          cwd: root,
          env: this.#env(root),
          stdin: stdin === undefined ? undefined : join(root, stdin),
        }),
    };
  }

  /** @param {Story} story @param {() => number} random @returns {Promise<Recorded>} */
  async record(story, random) {
    for (let takes = 1; ; takes += 1) {
      try {
        return await this.#take(story, random);
      } catch (error) {
        if (error instanceof BrokenOff || this.scenario.beside === undefined || takes === TAKES) throw error;
      }
    }
  }

  /** @param {Story} story @param {() => number} random @returns {Promise<Recorded>} */
  async #take(story, random) {
    const { service, scenario } = this;
    materialise([], this.root);
    service.putBack([]);
    if (scenario.seeded !== undefined) service.seed(scenario.seeded, 'seen');
    await scenario.prepare?.(this.world(random, this.#bench.program));
    if (scenario.stdout !== undefined) closeSync(openSync(join(this.root, scenario.stdout), 'w', 0o600));
    const first = await this.#run(snapshot(this.root), random);
    if (story === 'cut') return first;
    return story === 'killed before' ? this.#afterKill(first, random) : this.#afterCut(first, random);
  }

  get #elsewhere() {
    return join(this.#bench.folder, 'elsewhere');
  }

  /** @param {string} home @returns {NodeJS.ProcessEnv} */
  #env(home) {
    const service =
      this.scenario.isEmbedded === true ? {} : { SVC_BASE_URL: this.service.url, SVC_API_KEY: KEY };
    const basics = { PATH: process.env['PATH'], HOME: home, TZ: 'UTC', SVC_WEBHOOK_SECRET: SECRET };
    // The model does not know io_uring.
    return { ...basics, UV_USE_IO_URING: '0', ...(this.scenario.stdin === undefined ? service : {}) };
  }

  /**
   * @param {readonly Entry[]} before
   * @param {() => number} random
   * @param {readonly number[]} mayEndWith
   * @returns {Promise<Recorded>}
   */
  async #run(before, random, mayEndWith = []) {
    const { scenario, root, service } = this;
    const { ends = 0 } = scenario;
    const log = join(this.#bench.folder, 'strace.log');
    const initial = service.arrivals();
    /** @type {{ id: string, at: number }[]} */
    const accepted = [];
    const world = this.world(random);
    const helper = { cwd: this.#elsewhere, env: this.#env(this.#elsewhere) };
    const sender = {
      ...world,
      svc: (/** @type {readonly string[]} */ words) => type([this.#bench.program, ...words], helper),
    };
    const { drive } = scenario;
    service.hold(scenario.holdMs ?? 0);
    const descriptors = [scenario.stdin, scenario.stdout].map((name, at) =>
      name === undefined ? undefined : openSync(join(root, name), at === 0 ? 'r' : 'a'),
    );
    try {
      const { code, err } = await record(this.#command(scenario.line(world)), {
        ...{ cwd: root, env: this.#env(root), log, stdin: descriptors[0], stdout: descriptors[1] },
        drive: drive && ((err) => drive(sender, err, (id) => accepted.push({ id, at: Date.now() }))),
      });
      // A program that fails early loses nothing, and would pass for a program that was cut.
      if (code !== ends && !mayEndWith.includes(code ?? -1))
        throw new BrokenOff(`${this.#name}: ended with ${String(code)} and not with ${String(ends)}: ${err}`);
    } finally {
      for (const descriptor of descriptors) if (descriptor !== undefined) closeSync(descriptor);
      service.hold(0);
    }
    const { calls, unmodelled } = readTrace(readFileSync(log, 'latin1'), root);
    if (unmodelled.length > 0) throw new Error(`${this.#name}: not modelled: ${unmodelled.join(', ')}`);
    return this.#recorded(before, calls, { initial, arrivals: service.arrivals(), accepted });
  }

  /** @param {readonly string[]} line */
  #command(line) {
    const { beside = [] } = this.scenario;
    const start = [process.execPath, '--no-warnings', this.#bench.program];
    if (beside.length === 0) return [...start, ...line];
    const quoted = [line, ...beside].map((words) =>
      [...start, ...words].map((word) => `'${word}'`).join(' '),
    );
    const begun = quoted.map((words, at) => `${words} & p${String(at)}=$!`);
    const ended = quoted.map((_, at) => `wait $p${String(at)}`);
    return ['sh', '-c', `${begun.join('; ')}; ${ended.join(' && ')}`];
  }

  /**
   * @param {readonly Entry[]} before
   * @param {readonly import('./trace.js').SystemCall[]} calls
   * @param {Pick<Recorded, 'initial' | 'arrivals' | 'accepted'>} rest
   * @returns {Recorded}
   */
  #recorded(before, calls, rest) {
    const history = new DiskHistory(before, calls);
    const all = history.sample(calls.length - 1, {
      random: () => 0,
      mode: 'strict',
      kept: 1,
      grain: 4096,
    });
    // A control of the model: with nothing lost, the model must hold what the run wrote.
    if (digest(all) !== digest(snapshot(this.root)))
      throw new Error(`${this.#name}: the model does not hold what the run has left`);
    return { scenario: this.#name, calls, history, ...rest };
  }

  /** @param {Recorded} first @param {() => number} random */
  async #afterKill({ calls, history, initial }, random) {
    const sending = calls.findIndex(({ kind }) => kind === 'sent');
    const places = calls
      .slice(0, sending === -1 ? calls.length : sending)
      .flatMap(({ kind }, index) => (['mkdir', 'create', 'rename'].includes(kind) ? [index] : []));
    const kill = places[Math.floor(random() * places.length)] ?? 0;
    const before = history.sample(-1, { random, mode: 'strict', kept: 1, grain: 4096 });
    // After a kill, the kernel still has the data, but the disk may not.
    materialise(history.sample(kill, { random, mode: 'strict', kept: 1, grain: 4096 }), this.root);
    this.service.putBack(initial);
    const kept = calls.slice(0, kill + 1);
    const again = await this.#run(snapshot(this.root), random, REFUSED_AGAIN);
    const shift = kept.length + calls.length * 2 + Math.max(...kept.map(({ entry }) => entry));
    const moved = again.calls.map((call) => ({
      ...call,
      entry: call.entry + shift,
      exit: call.exit + shift,
    }));
    const ended = kept.map((call) => ({ ...call, exit: Math.min(call.exit, shift - 1) }));
    return this.#recorded(before, [...ended, ...moved], again);
  }

  /** @param {Recorded} first @param {() => number} random */
  async #afterCut({ calls, history, initial, arrivals }, random) {
    const from = calls.findIndex(({ kind }) => kind === 'sent');
    const shown = calls.findIndex(
      ({ kind, ...rest }) => kind === 'told' || ('path' in rest && rest.path === this.scenario.stdout),
    );
    const cut = from + Math.floor(random() * ((shown === -1 ? calls.length : shown) - from));
    const kept = [0, 0.3, 0.7][Math.floor(random() * 3)] ?? 0;
    materialise(
      history.sample(cut, { random, mode: random() < 0.5 ? 'strict' : 'ordered', kept, grain: 4096 }),
      this.root,
    );
    this.service.putBack(arrivedBy({ calls, initial, arrivals }, cut, random));
    return this.#run(snapshot(this.root), random, REFUSED_AGAIN);
  }
}

/**
 * @param {Pick<Recorded, 'calls' | 'initial' | 'arrivals'>} recorded
 * @param {number} index
 * @param {() => number} random
 */
export function arrivedBy({ calls, initial, arrivals }, index, random) {
  const { entry = -1, at = 0 } = calls[index] ?? {};
  const left = keysLeftBy(calls, entry);
  const share = random() < 0.5 ? random() : Math.round(random());
  const had = new Set(initial.map(({ key }) => key));
  return arrivals.filter(
    (arrival) => had.has(arrival.key) || (left.has(arrival.key) && (arrival.at <= at || random() < share)),
  );
}

/** @param {Recorded['calls']} calls @param {number} entry */
export function keysLeftBy(calls, entry) {
  return new Set(calls.flatMap((call) => (call.kind === 'sent' && call.entry <= entry ? [call.key] : [])));
}

/**
 * @param {readonly string[]} line
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, stdin?: string | undefined }} options
 * @returns {Promise<import('./person.js').Run>}
 */
function type([program = '', ...words], { cwd, env, stdin }) {
  const input = stdin === undefined ? 'ignore' : openSync(stdin, 'r');
  const child = spawn(process.execPath, ['--no-warnings', program, ...words], {
    cwd,
    env,
    stdio: [input, 'pipe', 'pipe'],
  });
  if (input !== 'ignore') closeSync(input);
  let [out, err] = ['', ''];
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  child.stdout?.on('data', (chunk) => (out += String(chunk)));
  child.stderr?.on('data', (chunk) => (err += String(chunk)));
  return new Promise((resolve) => {
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ words, code, out, err });
    });
  });
}
