import { rowOf } from '../catalog.js';
import { BATCH, OTHER_BATCH, type Scene } from './scene.js';

export interface Cell {
  readonly of: 'row' | 'request';
  readonly state: string;
  readonly answer: string;
  readonly begin: (scene: Scene) => Promise<void>;
  readonly lines: readonly string[];
  readonly end: string;
}

type Step = (scene: Scene) => unknown;
type Way = readonly [answer: string, begin: Step | readonly Step[], lines: readonly string[], end: string];

const RESUME = 'svc batches resume NAME';
const WAIT = 'svc batches resume --wait NAME';
const RETRY = 'svc batches retry NAME';
const RETRY_REST = `${RETRY} --skip-paid`;
const EXPORT = '(svc batches export --state needs_review NAME)';
const IT_IS = 'svc batches resolve --reference REF --operation ID NAME';
const NOT_PAID = 'svc batches resolve --reference REF --not-paid NAME';
const LIST = 'svc operations list --reference REF';
const REPEAT = 'svc requests repeat KEY';
const GET = 'svc transactions get ID';
const EVENTS = '(svc events list --all)';
const OPERATION_IS = 'svc requests resolve --operation ID';
const REQUEST_IS = 'svc requests resolve --operation ID KEY';
const REQUEST_NOT_PAID = 'svc requests resolve --not-paid KEY';

const asked = (...lines: readonly string[]): string[] => [RESUME, EXPORT, ...lines];

const BOTH_NOT_PAID = [
  ...asked(NOT_PAID, RETRY),
  ...asked(NOT_PAID).map((line) => line.replace('NAME', 'OTHER')),
  RETRY,
];

const batch: Step = (s) => s.batch();
const single: Step = (s) => s.single();
const resume: Step = (s) => s.type('batches', 'resume', BATCH);
const old: Step = (s) => s.hours(30);
const never: Step = (s) => s.nothingArrives();
const lost: Step = (s) => s.answerIsLost();
const lostPending: Step = (s) => s.answerIsLost(100);
const fails: Step = (s) => s.fails(true);
const pays: Step = (s) => s.fails(false);
const pending: Step = (s) => s.next(null, 100);
const elsewhere: Step = (s) => s.payElsewhere();
const retryElsewhere: Step = (s) =>
  s.world.type(s.elsewhere, ['batches', 'retry', 'other', '--live', '--json'], 1);
const elsewhereOther: Step = (s) => s.payElsewhere(7);
const confirms: Step = (s) => s.ends('confirmed');
const failed: Step = (s) => s.ends('failed');
const undoes: Step = (s) => s.world.service.contradict();
const gone: Step = (s) => s.forgets();
const remembers: Step = (s) => s.remembersRefused();
const refusedElsewhere: Step = (s) => s.payElsewhere(100, 'refused');
const singleOther: Step = (s) => s.single([], 7);
const hidden: Step = (s) => s.forgets(false);
const hides: Step = (s) => s.world.service.hide();

const notSent: Step = async (s) => {
  s.world.mean('payout', 'x');
  s.next('killed_before');
  await s.batch([], [rowOf('x', { person: 5, amount: 3 })]);
};
const unavailable: readonly Step[] = [(s) => s.next('unavailable', 0, 3), batch];
const wrongAmount: readonly Step[] = [(s) => s.changeAmount('1.00'), batch, (s) => s.changeAmount(null)];
const skipsPending: readonly Step[] = [pending, single, pays, (s) => s.batch(['--skip-paid'])];
const usedKey: readonly Step[] = [pending, elsewhereOther, pays, batch];
const usedKeyOfSingle: readonly Step[] = [pending, elsewhereOther, pays, single];
const pendingSingle: readonly Step[] = [pending, single, single];
const forgotten: Step = async (s) => {
  await s.single();
  const key = String(s.last?.error?.idempotency_key);
  await s.world.type(s.machine, ['requests', 'forget', '--live', '--json', '--yes', '--', key], 1);
  s.hours(30);
  await s.single();
};
const clockIsWrong: readonly Step[] = [(s) => s.boots(-40), resume];
const noTime: readonly Step[] = [(s) => s.saysDate(false), (s) => s.boots(0), resume];

const besideOpen = (meets: Step): readonly Step[] => [
  async (s) => {
    s.world.mean('payout', 'z');
    await s.world.batch(s.machine, 'n0', 'payout', [rowOf('z', { amount: 7 })]);
  },
  meets,
  batch,
  never,
  (s) => s.world.batch(s.machine, OTHER_BATCH, 'payout', [rowOf('a')], 1, [], 'B'),
  (s) => s.hours(200),
  resume,
];

const ROWS: Readonly<Record<string, readonly Way[]>> = {
  'new (every row paid)': [
    ['confirmed', [elsewhere, batch], ['svc payouts batch FILE --skip-paid'], 'earlier'],
    ['confirmed, if the amount differs', [elsewhereOther, batch], [LIST], 'refused'],
  ],
  planned: [
    ['nothing', notSent, [RESUME], 'confirmed'],
    ['confirmed', [notSent, elsewhere], [RESUME], 'confirmed'],
    ['pending', [notSent, pending, elsewhere], [RESUME, WAIT], 'confirmed'],
    ['failed', [notSent, fails, elsewhere, pays], [RESUME, RETRY], 'confirmed'],
  ],
  intent: [
    ['nothing', [(s) => s.next('killed_before'), batch], [RESUME], 'confirmed'],
    ['confirmed', [(s) => s.next('killed_after'), batch], [RESUME], 'confirmed'],
    ['pending', [(s) => s.next('killed_after', 10), batch], [RESUME, WAIT], 'confirmed'],
    ['failed', [fails, (s) => s.next('killed_after'), batch, pays], [RESUME, RETRY], 'confirmed'],
  ],
  'unknown (23 hours)': [
    ['nothing', [never, batch], [RESUME], 'confirmed'],
    ['confirmed', [lost, batch], [RESUME], 'confirmed'],
    ['nothing, 404', [never, batch, (s) => s.next('not_found_after')], [RESUME], 'confirmed'],
    ['pending', [lostPending, batch], [RESUME, WAIT], 'confirmed'],
    ['failed', [fails, lost, batch, pays], [RESUME, RETRY], 'confirmed'],
  ],
  'unknown, then 409': [
    ['pending', [never, batch, pending, elsewhereOther], asked(IT_IS), 'earlier'],
    ['nothing', [remembers, refusedElsewhere, never, batch], asked(NOT_PAID, RETRY), 'confirmed'],
  ],
  'unknown (longer)': [
    ['confirmed', [lost, batch, old], [RESUME], 'confirmed'],
    ['nothing', [never, batch, old], asked(NOT_PAID, RETRY), 'confirmed'],
    ['failed', [fails, lost, batch, pays, old], asked(NOT_PAID, RETRY), 'confirmed'],
    ['pending', [lostPending, batch, old], asked(IT_IS, WAIT), 'confirmed'],
  ],
  unavailable: [
    ['nothing', unavailable, [RESUME], 'confirmed'],
    ['confirmed', [...unavailable, elsewhere], [RESUME, `${RESUME} --skip-paid`], 'earlier'],
    ['pending', [...unavailable, pending, elsewhere], [RESUME, WAIT], 'confirmed'],
    ['failed', [...unavailable, fails, elsewhere, pays], [RESUME, RETRY], 'confirmed'],
  ],
  accepted: [
    ['confirmed', [pending, batch], [WAIT], 'confirmed'],
    ['failed', [fails, pending, batch, pays], [WAIT, RETRY], 'confirmed'],
    ['nothing', [pending, batch, gone], [WAIT, RESUME], 'confirmed'],
  ],
  'accepted (longer)': [
    ['nothing', [pending, batch, old, gone], [WAIT, ...asked(NOT_PAID, RETRY)], 'confirmed'],
    ['confirmed', [pending, batch, old, hidden, confirms], [WAIT], 'confirmed'],
    ['failed', [fails, pending, batch, pays, old, hidden, failed], [WAIT, RETRY], 'confirmed'],
  ],
  '`skipped_pending`': [
    ['confirmed', skipsPending, [WAIT], 'earlier'],
    ['failed', [fails, ...skipsPending], [WAIT, RETRY], 'confirmed'],
    [
      'nothing',
      [...skipsPending, gone],
      [WAIT, ...asked(NOT_PAID, RETRY), `(${LIST})`, REQUEST_NOT_PAID, RETRY],
      'confirmed',
    ],
  ],
  failed: [
    ['nothing', [fails, batch, pays], [RETRY], 'confirmed'],
    ['confirmed', [fails, batch, pays, elsewhere, retryElsewhere], [RETRY, RETRY_REST], 'earlier'],
    ['pending', [fails, batch, pays, elsewhere, pending, retryElsewhere], [RETRY, WAIT], 'confirmed'],
  ],
  rejected: [
    ['nothing', [(s) => s.next('refused'), batch], [RETRY], 'confirmed'],
    ['confirmed', [(s) => s.next('refused'), batch, elsewhere], [RETRY, RETRY_REST], 'earlier'],
    ['pending', [(s) => s.next('refused'), batch, pending, elsewhere], [RETRY, WAIT], 'confirmed'],
    ['failed', [(s) => s.next('refused'), batch, fails, elsewhere, pays], [RETRY], 'confirmed'],
  ],
  '`too_old`': [
    ['confirmed, if an event shows it', [lostPending, batch, old, resume, confirms], [RESUME], 'confirmed'],
    ['nothing', [never, batch, old, resume], asked(NOT_PAID, RETRY), 'confirmed'],
    ['failed', [fails, lostPending, batch, old, resume, pays, failed], asked(NOT_PAID, RETRY), 'confirmed'],
    ['confirmed, if none shows it', [lost, batch, hides, old, resume], asked(IT_IS), 'confirmed'],
    ['pending', [lostPending, batch, old, resume], asked(IT_IS, WAIT), 'confirmed'],
  ],
  '`contradicted`': [
    ['confirmed', [batch, undoes, resume], asked(IT_IS), 'confirmed'],
    ['failed', [fails, batch, pays, undoes, resume], asked(NOT_PAID, IT_IS, RETRY), 'confirmed'],
    ['confirmed, if sent elsewhere', [elsewhere, undoes, batch], asked(IT_IS), 'earlier'],
    [
      'failed, if sent elsewhere',
      [fails, elsewhere, pays, undoes, batch],
      asked(NOT_PAID, IT_IS, RESUME, RETRY),
      'confirmed',
    ],
  ],
  '`answer_mismatch`': [
    ['confirmed', wrongAmount, asked(IT_IS), 'confirmed'],
    ['pending', [pending, ...wrongAmount, old], asked(IT_IS, WAIT), 'confirmed'],
    ['failed', [fails, ...wrongAmount, pays], asked(NOT_PAID, RETRY), 'confirmed'],
  ],
  '`open_elsewhere`': [
    ['confirmed', besideOpen(lostPending), asked(IT_IS), 'confirmed'],
    ['pending', besideOpen((s) => s.answerIsLost(1000)), asked(IT_IS, WAIT), 'confirmed'],
    ['failed', [fails, ...besideOpen(lostPending), pays], BOTH_NOT_PAID, 'confirmed'],
    ['nothing', besideOpen(never), BOTH_NOT_PAID, 'confirmed'],
  ],
  '`idempotency_key_reused`': [
    ['confirmed', [...usedKey, confirms], asked(IT_IS), 'earlier'],
    ['pending', usedKey, asked(IT_IS), 'earlier'],
    ['failed', [fails, ...usedKey, failed], asked(NOT_PAID, RETRY), 'confirmed'],
    ['nothing', [remembers, refusedElsewhere, batch], asked(NOT_PAID, RETRY), 'confirmed'],
  ],
  '`clocks_disagree`': [
    ['nothing, if that is over', [never, batch, ...clockIsWrong, (s) => s.boots(0)], [RESUME], 'confirmed'],
    ['pending', [lostPending, batch, ...clockIsWrong], asked(IT_IS, WAIT), 'confirmed'],
    ['nothing, if not', [never, batch, ...clockIsWrong], asked(NOT_PAID, RETRY), 'confirmed'],
  ],
  '`time_unknown`': [
    ['nothing, if that is over', [never, batch, ...noTime, (s) => s.saysDate(true)], [RESUME], 'confirmed'],
    ['nothing, if not', [never, batch, ...noTime], asked(NOT_PAID, RETRY), 'confirmed'],
  ],
};

const REQUESTS: Readonly<Record<string, readonly Way[]>> = {
  'open (23 hours)': [
    ['nothing', [never, single], [REPEAT], 'confirmed'],
    ['confirmed', [lost, single], [REPEAT], 'confirmed'],
    ['pending', [lostPending, single], [REPEAT], 'pending'],
    ['failed', [fails, lost, single, pays], [REPEAT], 'failed'],
  ],
  'open, then 409': [
    ['pending', [never, single, pending, elsewhereOther], [REPEAT, REQUEST_IS], 'pending'],
    ['nothing', [remembers, refusedElsewhere, never, single], [REPEAT, REQUEST_NOT_PAID], 'nothing'],
  ],
  'open (longer)': [
    ['confirmed', [lost, single, old], [REPEAT], 'confirmed'],
    ['failed', [fails, lost, single, pays, old], [REPEAT, EVENTS, REQUEST_NOT_PAID], 'failed'],
    ['nothing', [never, single, old], [REPEAT, EVENTS, REQUEST_NOT_PAID], 'nothing'],
    ['confirmed, if none shows it', [lost, single, hides, old], [REPEAT, EVENTS, REQUEST_IS], 'confirmed'],
    ['pending', [lostPending, single, old], [REPEAT, EVENTS, REQUEST_IS], 'pending'],
  ],
  forgotten: [
    ['confirmed', [lost, forgotten], [GET], 'confirmed'],
    ['nothing', [never, forgotten], [EVENTS, REQUEST_NOT_PAID], 'nothing'],
    ['failed', [fails, lost, forgotten, pays], [`(${LIST})`, EVENTS, REQUEST_NOT_PAID], 'failed'],
    ['pending', [lostPending, forgotten], [EVENTS, REQUEST_IS], 'pending'],
  ],
  pending: [
    ['confirmed', [...pendingSingle, confirms], [GET], 'confirmed'],
    ['failed', [fails, ...pendingSingle, pays, failed], [GET], 'failed'],
    ['nothing', [pending, single, gone, singleOther], [`(${LIST})`, EVENTS, REQUEST_NOT_PAID], 'nothing'],
    ['nothing, of a batch', [pending, batch, gone, single], [WAIT, RESUME], 'confirmed'],
  ],
  'pending (longer)': [
    ['nothing', [pending, single, old, gone, single], [EVENTS, REQUEST_NOT_PAID], 'nothing'],
    ['confirmed', [pending, single, old, hidden, confirms, single], [GET], 'confirmed'],
  ],
  '`contradicted`': [
    ['confirmed', [single, undoes, single], [OPERATION_IS], 'confirmed'],
    ['failed', [fails, single, pays, undoes, single], [OPERATION_IS], 'failed'],
  ],
  '`key_used`': [
    ['confirmed', [...usedKeyOfSingle, confirms], [REQUEST_IS], 'confirmed'],
    ['pending', usedKeyOfSingle, [REQUEST_IS], 'pending'],
    ['failed', [fails, ...usedKeyOfSingle, failed], [REQUEST_NOT_PAID], 'failed'],
    ['nothing', [remembers, refusedElsewhere, single], [REQUEST_NOT_PAID], 'nothing'],
  ],
};

function cellsOf(of: Cell['of'], states: Readonly<Record<string, readonly Way[]>>): Cell[] {
  return Object.entries(states).flatMap(([state, ways]) =>
    ways.map(([answer, steps, lines, end]) => ({
      ...{ of, state, answer, lines, end },
      begin: async (scene: Scene) => {
        for (const step of [steps].flat()) await step(scene);
      },
    })),
  );
}

export const CELLS: readonly Cell[] = [...cellsOf('row', ROWS), ...cellsOf('request', REQUESTS)];

function wordsOf(line: string, of: Cell['of']): string {
  return line
    .replace(of === 'row' ? /^svc (?:batches )?/ : /^svc (?:requests )?/, '')
    .replace(/ (?:NAME|KEY)(?=$| )| --reference REF/g, '');
}

const ANSWERS = ['nothing', 'confirmed', 'pending', 'failed'] as const;

export function tableOf(of: Cell['of']): string {
  const cells = CELLS.filter((cell) => cell.of === of);
  const wayOf = ({ lines, end, answer }: Cell): string => {
    const typed = lines.filter((line) => !line.startsWith('(')).map((line) => `\`${wordsOf(line, of)}\``);
    const isExpected = end === (of === 'row' ? 'confirmed' : answer.split(', ')[0]);
    return `${typed.join(', ')}${isExpected ? '' : `: ${end}`}`;
  };
  const lines = new Map<string, string[]>();
  for (const state of new Set(cells.map((cell) => cell.state))) {
    const columns = ANSWERS.map((column) => {
      const mine = cells.filter((cell) => cell.state === state && cell.answer.split(', ')[0] === column);
      const ways = new Map(mine.map((cell) => [wayOf(cell), cell.answer.split(', ')[1]]));
      return [...ways]
        .map(([way, when]) => (when === undefined || ways.size === 1 ? way : `${when}: ${way}`))
        .join('; ');
    });
    lines.set(columns.join(' | '), [...(lines.get(columns.join(' | ')) ?? []), state]);
  }
  const head = [of === 'row' ? 'row' : 'create', ...ANSWERS];
  const body = [...lines].map(([columns, states]) => `| ${states.join(', ')} | ${columns} |`);
  return [`| ${head.join(' | ')} |`, `| ${head.map(() => '-').join(' | ')} |`, ...body].join('\n');
}
