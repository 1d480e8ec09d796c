/** What is recorded, and what a person does once the power is back. A verdict counts what was paid twice, lost, said and not so, or refused. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** @typedef {{ words: readonly string[], code: number | null, out: string, err: string }} Run of the program */
/**
 * @typedef {object} World
 * @property {string} root the home, and the folder in which lines are typed
 * @property {import('./service.js').Service} service
 * @property {(words: readonly string[], stdin?: string) => Promise<Run>} svc types a line; `stdin` names a file of the root
 * @property {() => number} random
 */
/**
 * @typedef {object} After what is known when the power is back
 * @property {string} told what was read from standard output before
 * @property {readonly string[]} accepted ids of events that a sender had been told were taken
 */
/** @typedef {'twice' | 'lost' | 'lied' | 'refused' | 'unsettled'} Fault */
/** @typedef {Record<Fault, number> & { stopped: number, notes: string[] }} Verdict `stopped`: with the line that leaves out what was paid */
/**
 * @typedef {object} Scenario
 * @property {(world: World) => readonly string[]} line
 * @property {(world: World & After) => Promise<Verdict>} recover
 * @property {(world: World) => Promise<void>} [prepare] what was there before
 * @property {number} [holdMs] how long a create waits for its answer
 * @property {number} [seeded] payouts that the service had
 * @property {string} [stdout] the file that standard output goes to
 * @property {string} [stdin] the file that standard input comes from
 * @property {readonly (readonly string[])[]} [beside] lines that begin at the same time
 * @property {(world: World, err: () => string, accepted: (id: string) => void) => Promise<void>} [drive] for a command that stays
 * @property {boolean} [isEmbedded] with the sandbox inside of svc, and no service
 * @property {boolean} [isNext] recorded and recovered with the program of the next version
 * @property {boolean} [isForgetful] keys leave the books on purpose
 */

/** What this many people are paid, as a file. @param {number} count @param {string} name what their references begin with */
export function payroll(count, name = 'emp') {
  const head =
    'reference,amount,country,currency,method,purpose,beneficiary.name,beneficiary.document.type,' +
    'beneficiary.document.number,beneficiary.bank_code,beneficiary.account_number';
  const rows = Array.from({ length: count }, (_, at) =>
    [
      ...[`${name}-${String(at)}`, `${String(100 + at)}.50`, 'VE,VES,mobile_payment,payroll,Ana Perez,V'],
      ...[String(20_000_000 + at), '0102', `0412${String(1_000_000 + at)}`],
    ].join(),
  );
  return [head, ...rows, ''].join('\n');
}

/** @param {string} reference */
const create = (reference) => [
  ...[
    'payouts',
    'create',
    '--method',
    'mobile_payment',
    '--country',
    'VE',
    '--currency',
    'VES',
    '--amount',
    '10.00',
  ],
  ...['document.type=V', 'document.number=12345678', 'bank_code=0102', 'account_number=04121234567'].flatMap(
    (party) => ['--beneficiary', party],
  ),
  ...['--reference', reference, '--json'],
];
const REPEAT = ['requests', 'repeat', '--all', '--json'];
/** @param {string} name */
const pay = (name) => ['payouts', 'batch', `${name}.csv`, '--concurrency', '8', '--json'];

/** @returns {Verdict} */
const clean = () => ({ twice: 0, lost: 0, lied: 0, refused: 0, unsettled: 0, stopped: 0, notes: [] });

/** @param {Verdict} verdict @param {Run} run */
function noted(verdict, run) {
  verdict.notes.push(
    `${run.words.slice(0, 3).join(' ')}: ${String(run.code)} ${(run.err || run.out).trim().slice(-300)}`,
  );
  if (run.code === 16 || run.code === 1 || run.code === null) verdict.refused += 1;
  return run;
}

/** What a file of the world holds; nothing where it is not there. @param {World} world @param {string} name */
function textOf({ root }, name) {
  return existsSync(join(root, name)) ? readFileSync(join(root, name), 'utf8') : '';
}

/** @param {World} world @param {string} name @param {string} text */
const put = ({ root }, name, text) => writeFileSync(join(root, name), text, { mode: 0o600 });

/** @param {string} text */
const idsIn = (text) => [...text.matchAll(/"id":\s*"([0-9a-f-]{36})"/g)].map(([, id]) => id);

/**
 * A person holds what was shown, repeats what is open, and where nothing is open and no answer is in hand types the line again.
 * @param {World & After} world @param {readonly string[]} references @param {string} shown
 */
async function settleCreates(world, references, shown) {
  const verdict = clean();
  /** @param {string} reference @param {string} text */
  const isIn = (reference, text) => world.service.paid(reference).some(({ id }) => text.includes(id));
  const isTrue = idsIn(shown).every((id) =>
    references.some((reference) => world.service.paid(reference).some((one) => one.id === id)),
  );
  if (!isTrue) verdict.lied += 1;
  let known = shown;
  if (references.some((reference) => !isIn(reference, known)))
    known += noted(verdict, await world.svc(REPEAT)).out;
  for (const reference of references)
    if (!isIn(reference, known)) noted(verdict, await world.svc(create(reference)));
  return counted(verdict, world, references);
}

/** @param {Verdict} verdict @param {World} world @param {readonly string[]} references */
function counted(verdict, { service }, references) {
  for (const reference of references) {
    const { length } = service.paid(reference);
    if (length > 1) verdict.twice += 1;
    if (length === 0) verdict.lost += 1;
  }
  return verdict;
}

/** @param {string} name @param {number} count */
const referencesOf = (name, count) => Array.from({ length: count }, (_, at) => `${name}-${String(at)}`);

/** @param {string} text */
const jsonOf = (text) => /** @type {Record<string, unknown>} */ (JSON.parse(text));

/**
 * A person types the line until it ends: a batch is safe to run again. Where a store is gone, the one more flag that svc names.
 * @param {World & After} world @param {readonly string[]} line @param {readonly string[]} references @param {string} batch
 */
async function finishBatch(world, line, references, batch) {
  const verdict = clean();
  let end = noted(
    verdict,
    await world.svc(world.random() < 0.3 ? ['batches', 'resume', batch, '--json'] : line),
  );
  for (let again = 0; again < 3 && !isAtAnEnd(end); again += 1) end = noted(verdict, await world.svc(line));
  if (end.code === 13 && !isFinished(end) && end.err.includes('--skip-paid')) {
    verdict.stopped += 1;
    noted(verdict, await world.svc([...line, '--skip-paid']));
  }
  const status = noted(verdict, await world.svc(['batches', 'status', batch, '--json']));
  counted(verdict, world, references);
  const confirmed = status.code === 0 ? Number(jsonOf(status.out)['confirmed']) : 0;
  const paid = references.filter((reference) => world.service.paid(reference).length > 0).length;
  if (confirmed > paid) verdict.lied += 1;
  if (confirmed !== references.length && verdict.lost === 0 && verdict.stopped === 0) verdict.unsettled += 1;
  return verdict;
}

/** Whether a batch says that nothing of it is left. @param {Run} run */
const isFinished = ({ code, err }) => code === 0 || err.includes('"batch_finished"');

/** Whether to type the same line once more would change nothing. @param {Run} run */
const isAtAnEnd = (run) => isFinished(run) || run.code === 13 || run.code === 16;

/** How many of the service's operations no whole line of the text tells of. @param {World} world @param {string} text */
function missingIn({ service }, text) {
  const seen = new Set();
  for (const line of text.split('\n')) {
    try {
      seen.add(/** @type {{ data: { id: string } }} */ (JSON.parse(line)).data.id);
    } catch {
      // A line that a cut has torn is none.
    }
  }
  return service.arrivals().filter(({ operation }) => !seen.has(operation.id)).length;
}

/** A create that was carried out and never answered. @param {World} world @param {string} reference */
async function leaveOpen({ service, svc }, reference) {
  service.mute(true);
  await svc([...create(reference), '--timeout', '2s']);
  service.mute(false);
}

/** Which file of the world a whole store of svc is. @param {World} world @param {string} name @param {string} sql */
function inStore({ root }, name, sql) {
  const file = join(root, name);
  if (!existsSync(file)) return null;
  const db = new DatabaseSync(file);
  try {
    return /** @type {Record<string, number>} */ (db.prepare(sql).get());
  } finally {
    db.close();
  }
}

const EMP = referencesOf('emp', 60);
const TAIL = ['events', 'tail', '--no-follow', '--checkpoint', 'books'];
/** A handler that keeps its own part: it begins a line, whatever a cut has left, and syncs before it accepts. */
const HANDLER = '{ echo; cat; } >> seen.ndjson && sync seen.ndjson';
const INTO = ['events', 'tail', '--no-follow', '--create', '--into', 'sqlite:tables.db'];
const PROFILE = ['profiles', 'add', 'new', '--base-url', 'https://two.example', '--key-stdin', '--json'];
const PLAN = [...pay('pay'), '--plan', 'pay.plan'].filter((word) => word !== '--concurrency' && word !== '8');
const APPLY = ['batches', 'apply', 'pay.plan', '--concurrency', '8', '--json'];
const RECONCILE = ['reconcile', 'ledger.csv', '--report', 'report.html', '--json'];
const EVENTS = 450;

/** @type {Readonly<Record<string, Scenario>>} */
export const SCENARIOS = {
  create: {
    holdMs: 15,
    stdout: 'answer.json',
    line: () => create('one'),
    recover: (world) => settleCreates(world, ['one'], textOf(world, 'answer.json')),
  },
  'create shown': {
    holdMs: 15,
    line: () => create('one'),
    recover: (world) => settleCreates(world, ['one'], world.told),
  },
  repeat: {
    holdMs: 10,
    stdout: 'answer.json',
    prepare: (world) => leaveOpen(world, 'one'),
    line: () => REPEAT,
    recover: (world) => settleCreates(world, ['one'], textOf(world, 'answer.json')),
  },
  'repeat shown': {
    holdMs: 10,
    prepare: (world) => leaveOpen(world, 'one'),
    line: () => REPEAT,
    recover: (world) => settleCreates(world, ['one'], world.told),
  },
  'two at once': {
    holdMs: 15,
    line: () => create('one'),
    beside: [create('two')],
    recover: (world) => settleCreates(world, ['one', 'two'], world.told),
  },
  'requests forget': {
    isForgetful: true,
    prepare: async (world) => {
      await leaveOpen(world, 'one');
      await leaveOpen(world, 'two');
    },
    line: () => ['requests', 'forget', '--all', '--yes', '--json'],
    recover: async (world) => {
      const verdict = clean();
      const open = noted(verdict, await world.svc(['requests', 'list', '--json']));
      if (world.told !== '' && !open.out.includes('"requests":[]')) verdict.lied += 1;
      noted(verdict, await world.svc(['requests', 'forget', '--all', '--yes', '--json']));
      const left = noted(verdict, await world.svc(['requests', 'list', '--json']));
      if (!left.out.includes('"requests":[]')) verdict.unsettled += 1;
      return counted(verdict, world, ['one', 'two']);
    },
  },
  batch: {
    holdMs: 3,
    prepare: async (world) => put(world, 'pay.csv', payroll(60)),
    line: () => pay('pay'),
    recover: (world) => finishBatch(world, pay('pay'), EMP, 'pay'),
  },
  'batch on a used store': {
    holdMs: 3,
    prepare: async (world) => {
      put(world, 'before.csv', payroll(30, 'old'));
      await world.svc(create('zero'));
      await world.svc(pay('before'));
      put(world, 'pay.csv', payroll(60));
    },
    line: () => pay('pay'),
    recover: async (world) => {
      const verdict = await finishBatch(world, pay('pay'), EMP, 'pay');
      noted(verdict, await world.svc(pay('before')));
      return counted(verdict, world, ['zero', ...referencesOf('old', 30)]);
    },
  },
  'batches forget': {
    isForgetful: true,
    prepare: async (world) => {
      put(world, 'pay.csv', payroll(30));
      await world.svc(pay('pay'));
    },
    line: () => ['batches', 'forget', 'pay', '--json'],
    recover: async (world) => {
      const verdict = clean();
      const bodies = inStore(world, '.local/state/svc/batches.db', 'SELECT count(*) AS count FROM bodies');
      if (world.told !== '' && bodies?.['count'] !== 0) verdict.lied += 1;
      noted(verdict, await world.svc(['batches', 'forget', 'pay', '--json']));
      noted(verdict, await world.svc(pay('pay')));
      return counted(verdict, world, referencesOf('emp', 30));
    },
  },
  migrate: {
    isNext: true,
    holdMs: 3,
    prepare: async (world) => {
      put(world, 'before.csv', payroll(12, 'old'));
      await world.svc(pay('before'));
      await world.svc(create('zero'));
      await leaveOpen(world, 'one');
      put(world, 'pay.csv', payroll(12));
    },
    line: () => pay('pay'),
    recover: async (world) => {
      const verdict = await finishBatch(world, pay('pay'), referencesOf('emp', 12), 'pay');
      const batches = noted(verdict, await world.svc(['batches', 'list', '--json']));
      if (!batches.out.includes('"before"')) verdict.lost += 1;
      const open = noted(verdict, await world.svc(['requests', 'list', '--json']));
      if (open.code === 0 && !open.out.includes('idempotency_key') && !open.out.includes('"key"'))
        verdict.lost += 1;
      noted(verdict, await world.svc(pay('before')));
      noted(verdict, await world.svc(REPEAT));
      return counted(verdict, world, ['zero', 'one', ...referencesOf('old', 12)]);
    },
  },
  'tail --exec': {
    seeded: 25,
    prepare: async (world) => put(world, 'seen.ndjson', ''),
    line: () => [...TAIL, '--exec', HANDLER],
    recover: async (world) => {
      const verdict = clean();
      noted(verdict, await world.svc([...TAIL, '--exec', HANDLER]));
      verdict.lost = missingIn(world, textOf(world, 'seen.ndjson'));
      return verdict;
    },
  },
  'tail > FILE': {
    seeded: EVENTS,
    stdout: 'seen.ndjson',
    line: () => [...TAIL, '-o', 'ndjson'],
    recover: async (world) => {
      const verdict = clean();
      const before = textOf(world, 'seen.ndjson');
      const { out } = noted(verdict, await world.svc([...TAIL, '-o', 'ndjson']));
      // A line that was torn is ended first, as by any reader of the file.
      verdict.lost = missingIn(world, `${before}\n${out}`);
      return verdict;
    },
  },
  'tail --into': {
    seeded: EVENTS,
    line: () => INTO,
    recover: async (world) => {
      const verdict = clean();
      noted(verdict, await world.svc(INTO));
      const found = inStore(
        world,
        'tables.db',
        'SELECT count(*) AS rows, count(DISTINCT id) AS events FROM svc_events',
      );
      if (found === null) return { ...verdict, lost: 1 };
      if (found['events'] !== EVENTS) verdict.lost += 1;
      if (Number(found['rows']) > EVENTS) verdict.twice += 1;
      return verdict;
    },
  },
  'listen > FILE': {
    stdout: 'events.ndjson',
    line: () => ['webhooks', 'listen', '--port', '0'],
    drive: async ({ svc }, err, accepted) => {
      while (!err().includes('Listening')) await new Promise((resolve) => setTimeout(resolve, 20));
      const [to = ''] = /http:\S+/.exec(err()) ?? [];
      for (let at = 0; at < 8; at += 1) {
        const { out } = await svc(['webhooks', 'trigger', 'payout.confirmed', '--to', to, '--json']);
        const { deliveries } = /** @type {{ deliveries: { event_id: string, status: number }[] }} */ (
          JSON.parse(out)
        );
        // What was answered with 2xx is never sent again.
        for (const { event_id, status } of deliveries) if (status === 200) accepted(event_id);
      }
    },
    recover: async (world) => {
      const text = textOf(world, 'events.ndjson');
      return { ...clean(), lost: world.accepted.filter((id) => !text.includes(id)).length };
    },
  },
  profile: {
    stdin: 'key.txt',
    prepare: async (world) => {
      put(world, 'key.txt', `svc_test_${'cd34'.repeat(12)}`);
      await world.svc(
        ['profiles', 'add', 'old', '--base-url', 'https://one.example', '--key-stdin'],
        'key.txt',
      );
    },
    line: () => PROFILE,
    recover: async (world) => {
      const verdict = clean();
      /** @param {string} text @param {string} address */
      const isWhole = (text, address) => new RegExp(`${address}[^}]*"keys":\\{"sandbox":\\{`).test(text);
      const listed = noted(verdict, await world.svc(['profiles', 'list', '--json']));
      if (!isWhole(listed.out, 'one.example')) verdict.lost += 1;
      if (world.told !== '' && !isWhole(listed.out, 'two.example')) verdict.lied += 1;
      if (!listed.out.includes('two.example')) noted(verdict, await world.svc(PROFILE, 'key.txt'));
      const after = noted(verdict, await world.svc(['profiles', 'list', '--json']));
      if (!isWhole(after.out, 'two.example')) verdict.unsettled += 1;
      return verdict;
    },
  },
  'sandbox import': {
    isEmbedded: true,
    prepare: async (world) => {
      await world.svc(create('one'));
      put(world, 'state.json', (await world.svc(['sandbox', 'export'])).out);
      await world.svc(create('two'));
    },
    line: () => ['sandbox', 'import', 'state.json', '--json'],
    recover: async (world) => {
      const verdict = clean();
      const left = noted(verdict, await world.svc(['events', 'list', '--all', '-o', 'ndjson']));
      // All of the one state or all of the other.
      if (!left.out.includes('"one"')) verdict.lost += 1;
      if (world.told !== '' && left.out.includes('"two"')) verdict.lied += 1;
      noted(verdict, await world.svc(['sandbox', 'import', 'state.json', '--json']));
      const now = noted(verdict, await world.svc(['events', 'list', '--all', '-o', 'ndjson']));
      if (!now.out.includes('"one"') || now.out.includes('"two"')) verdict.unsettled += 1;
      return verdict;
    },
  },
  plan: {
    prepare: async (world) => put(world, 'pay.csv', payroll(60)),
    line: () => PLAN,
    recover: async (world) => {
      const verdict = clean();
      const [, digest] = /"digest":"([0-9a-f]{64})"/.exec(world.told) ?? [];
      const there = createHash('sha256').update(textOf(world, 'pay.plan')).digest('hex');
      if (digest !== undefined && digest !== there) verdict.lied += 1;
      noted(verdict, await world.svc(PLAN));
      noted(verdict, await world.svc(APPLY));
      return counted(verdict, world, EMP);
    },
  },
  apply: {
    holdMs: 3,
    prepare: async (world) => {
      put(world, 'pay.csv', payroll(60));
      await world.svc(PLAN);
    },
    line: () => APPLY,
    recover: (world) => finishBatch(world, APPLY, EMP, 'pay'),
  },
  sync: {
    seeded: EVENTS,
    line: () => ['events', 'sync', '--json'],
    recover: async (world) => {
      const verdict = clean();
      const { out } = noted(verdict, await world.svc(['events', 'sync', '--json']));
      if (!out.includes(`"operations":${String(EVENTS)}`)) verdict.lost += 1;
      return verdict;
    },
  },
  reconcile: {
    seeded: 40,
    prepare: async (world) => {
      const lines = world.service
        .arrivals()
        .map(({ operation }) => `${operation.id},${String(operation['amount'])},VES,payout`);
      put(world, 'ledger.csv', ['id,amount,currency,direction', ...lines.slice(1), ''].join('\n'));
    },
    line: () => RECONCILE,
    recover: async (world) => {
      const verdict = clean();
      /** @param {string} text */
      const isWhole = (text) => text.trimEnd().endsWith('</html>');
      const left = textOf(world, 'report.html');
      if ((world.told !== '' || left !== '') && !isWhole(left)) verdict.lied += 1;
      const again = noted(verdict, await world.svc(RECONCILE));
      if (again.code !== 18 || !isWhole(textOf(world, 'report.html'))) verdict.unsettled += 1;
      return verdict;
    },
  },
};
