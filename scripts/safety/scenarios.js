import { createHash } from 'node:crypto';
import {
  clean,
  counted,
  create,
  finishBatch,
  inStore,
  leaveOpen,
  missingIn,
  noted,
  pay,
  payroll,
  put,
  referencesOf,
  REPEAT,
  settleCreates,
  textOf,
} from './person.js';

/** @typedef {import('./person.js').World} World */
/** @typedef {import('./person.js').After} After */
/** @typedef {import('./person.js').Verdict} Verdict */
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
 * @property {number} [ends] its exit code, 0 unless given
 * @property {boolean} [isEmbedded] with the sandbox inside of svc, and no service
 * @property {boolean} [isForgetful] keys leave the books on purpose
 */

const EMP = referencesOf('emp', 60);
const TAIL = ['events', 'tail', '--no-follow', '--checkpoint', 'books'];
/** The handler begins a new line, and syncs before it accepts. */
const HANDLER = '{ echo; cat; } >> seen.ndjson && sync seen.ndjson';
const INTO = ['events', 'tail', '--no-follow', '--create', '--into', 'sqlite:tables.db'];
const PROFILE = ['profiles', 'add', 'new', '--base-url', 'https://two.example', '--key-stdin', '--json'];
const PLAN = [...pay('pay'), '--plan', 'pay.plan'].filter((word) => word !== '--concurrency' && word !== '8');
const APPLY = ['batches', 'apply', 'pay.plan', '--concurrency', '8', '--json'];
const RECONCILE = ['reconcile', 'ledger.csv', '--report', 'report.html', '--json'];
const CERTIFY = ['certify', 'client', '--junit', 'junit.xml', '--json', '--', 'true'];
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
    ends: 143,
    line: () => ['webhooks', 'listen', '--port', '0'],
    drive: async ({ svc }, err, accepted) => {
      while (!err().includes('Listening')) await new Promise((resolve) => setTimeout(resolve, 20));
      const [to = ''] = /http:\S+/.exec(err()) ?? [];
      for (let at = 0; at < 8; at += 1) {
        const { out } = await svc(['webhooks', 'trigger', 'payout.confirmed', '--to', to, '--json']);
        const { deliveries } = /** @type {{ deliveries: { event_id: string, status: number }[] }} */ (
          JSON.parse(out)
        );
        // A delivery that was answered with 2xx is never sent again.
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
    ends: 18,
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
  certify: {
    isEmbedded: true,
    ends: 19,
    line: () => CERTIFY,
    recover: async (world) => {
      const verdict = clean();
      /** @param {string} text */
      const isWhole = (text) => text.trimEnd().endsWith('</testsuites>');
      const left = textOf(world, 'junit.xml');
      if ((world.told !== '' || left !== '') && !isWhole(left)) verdict.lied += 1;
      const again = noted(verdict, await world.svc(CERTIFY));
      if (again.code !== 19 || !isWhole(textOf(world, 'junit.xml'))) verdict.unsettled += 1;
      return verdict;
    },
  },
};
