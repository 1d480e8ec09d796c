import type { Clock } from '../../runtime/clock.js';
import { DELIVERY_HEADERS } from '../../contract/events.js';
import { Failure } from '../../runtime/failure.js';
import { EXPLANATIONS, RECEIVER_CASES, RECEIVER_GATE, type ReceiverCaseId } from './cases.js';
import { effectWaits } from './effects.js';
import {
  type ExamEvent,
  type Forge,
  FORGERIES,
  TEXT_CHANGES,
  type Parcel,
  parcelOf,
  type FalseHeaderId,
  REENCODINGS,
  withUnknownMembers,
} from './parcels.js';
import { inTurns } from '../client/turns.js';
import { type DeliveryAnswer, isAccepted } from '../../events/webhooks/deliver.js';

export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}

export interface ReceiverSide {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly secret: string;
  event(type: string): ExamEvent;
  send(parcel: Parcel): Promise<DeliveryAnswer>;
  sendAndCut(parcel: Parcel): Promise<void>;
  readonly look: ((event: ExamEvent) => Promise<string>) | null;
  readonly give: ((event: ExamEvent) => Promise<unknown>) | null;
  onCase(id: ReceiverCaseId): void;
}

export interface ReceiverExamOptions {
  isWanted(id: string): boolean;
  readonly settleMs: number;
  readonly jobs: number;
}

export interface ReceiverFinding {
  readonly id: ReceiverCaseId;
  readonly status: 'passed' | 'failed' | 'not_judged';
  readonly why: string | null;
  readonly andSo: ReceiverCaseId | null;
}

export type ReceiverFindings = Awaited<ReturnType<ReceiverExam['run']>>;

type Verdict = Pick<ReceiverFinding, 'status' | 'why'>;

const PASSED: Verdict = { status: 'passed', why: null };
const failure = (why: string): Verdict => ({ status: 'failed', why });
const notJudged = (why: string): Verdict => ({ status: 'not_judged', why });

const COPIES_AT_ONCE = 5;
const PAUSE_MS = 100;

type Judge = () => Promise<Verdict>;

export class ReceiverExam {
  readonly #waits: ReturnType<typeof effectWaits>;
  readonly #verdicts = new Map<ReceiverCaseId, Verdict>();
  #firstUnanswered: ReceiverCaseId | null = null;
  readonly #unsent = new Set<ReceiverCaseId>();
  #effectsProblem: string | null = null;
  readonly #forgeryAnswers: { readonly id: ReceiverCaseId; readonly status: number | null }[] = [];
  readonly #textsAfterOne: { readonly event: ExamEvent; readonly text: string }[] = [];

  constructor(
    private readonly side: ReceiverSide,
    private readonly options: ReceiverExamOptions,
  ) {
    this.#waits = effectWaits(side.clock, options.settleMs, side.signal);
  }

  async run() {
    await this.#examine({ [RECEIVER_GATE]: null }, 1, () => this.#examineGate());
    if (this.#verdicts.get(RECEIVER_GATE)?.status === 'passed' || this.#effectsProblem === NO_EFFECT) {
      const { jobs } = this.options;
      await this.#examine(acceptedVariants(this.side.secret), jobs, (id, one) => this.#accept(id, one));
      await this.#examine(FORGERIES, jobs, (id, forge) => this.#forge(id, forge));
      await this.#examine(FALSE_HEADERS, 1, (id, header) => this.#forgeHeader(id, header));
      await this.#examine({ 'forged.answered-4xx': null }, 1, () => this.#judgeForgeryAnswers());
      await this.#examine(REPEATED_ROUNDS, 1, (id, rounds) => this.#repeat(id, rounds));
      await this.#examine(UNKNOWN_VARIANTS, 1, (id, one) => this.#accept(id, one));
      await this.#examine({ 'load.20': 20 }, 1, (id, count) => this.#load(id, count));
      await this.#examine(this.#disturbances(), 1, (id, parcel) => this.#disturb(id, parcel));
    }
    const gate = this.#verdicts.get(RECEIVER_GATE);
    const wanted = RECEIVER_CASES.filter(({ id }) => this.#wants(id));
    const findings = wanted.map(({ id }): ReceiverFinding => {
      const verdict = this.#verdicts.get(id) ?? notJudged(NOT_EXAMINED);
      return { id, ...verdict, andSo: this.#causeOf(id, verdict) };
    });
    const isEffectSeen = this.#effectsProblem === null && gate?.status === 'passed';
    return { findings, effectMs: isEffectSeen ? this.#waits.effectMs() : null };
  }

  #wants(id: ReceiverCaseId): boolean {
    return id === RECEIVER_GATE || this.options.isWanted(id);
  }

  #causeOf(id: ReceiverCaseId, { status, why }: Verdict): ReceiverCaseId | null {
    const gate = this.#verdicts.get(RECEIVER_GATE);
    if (id !== RECEIVER_GATE && gate?.status !== 'passed' && status === 'not_judged') {
      return why === NOT_EXAMINED || this.#effectsProblem === why ? RECEIVER_GATE : null;
    }
    if (status !== 'failed') return null;
    if (this.#unsent.has(id) && this.#firstUnanswered !== id) return this.#firstUnanswered;
    const hasFailed = (other: ReceiverCaseId): boolean => this.#verdicts.get(other)?.status === 'failed';
    const cause = EXPLANATIONS.find(
      ([one, explained]) =>
        one !== id &&
        hasFailed(one) &&
        this.#wants(one) &&
        explained.some((beginning) => id.startsWith(beginning)),
    );
    return cause?.[0] ?? null;
  }

  async #examine<T>(
    table: Readonly<Partial<Record<ReceiverCaseId, T>>>,
    jobs: number,
    work: (id: ReceiverCaseId, entry: T) => Promise<Verdict | Judge>,
  ): Promise<void> {
    const judges: [ReceiverCaseId, Judge][] = [];
    // The case `forged.answered-4xx` judges the answers to all forgeries, so all of them must be sent.
    const isNeeded = (id: ReceiverCaseId): boolean =>
      this.#wants(id) || (id in FORGERIES && this.#wants('forged.answered-4xx'));
    const rows = (Object.entries(table) as [ReceiverCaseId, T][]).filter(([id]) => isNeeded(id));
    await inTurns(rows, jobs, async ([id, entry]) => {
      this.side.signal.throwIfAborted();
      this.side.onCase(id);
      const outcome = await catchCommandFailure(() => work(id, entry));
      if (typeof outcome === 'function') judges.push([id, outcome]);
      else this.#verdicts.set(id, outcome);
    });
    if (judges.length > 0) await this.#awaitEffects();
    for (const [id, judge] of judges)
      if (this.#wants(id)) this.#verdicts.set(id, await catchCommandFailure(judge));
  }

  async #examineGate(): Promise<Verdict> {
    const { look } = this.side;
    const event = await this.#newEvent();
    const probe = look === null ? { why: NO_PROBE } : await this.#examineProbe(look, event);
    const answer = await this.side.send(this.#parcel(event));
    if (!answer.sent && answer.status === null) {
      const text = `The receiver gave no answer: ${answer.error ?? 'no answer'}. Nothing was judged.`;
      throw new Failure('network', text, { outcome: 'not_sent', retryable: true });
    }
    if (!isAccepted(answer)) return failure(`${answerWords(answer)}${await this.#hint(answer)}`);
    if ('why' in probe) this.#effectsProblem = probe.why;
    else if (look !== null) return this.#examineEffect(look, event, probe);
    return PASSED;
  }

  async #examineProbe(look: LookFunction, event: ExamEvent): Promise<ProbeState> {
    try {
      const bystander = await this.#newEvent();
      const [first, bystanderText, second] = [await look(event), await look(bystander), await look(event)];
      if (first === second) return { text: first, bystander, bystanderText };
      return { why: `--effect prints something else each time: ${quoted(first)}, then ${quoted(second)}` };
    } catch (error) {
      if (error instanceof CommandFailed) return { why: error.message };
      throw error;
    }
  }

  async #examineEffect(
    look: LookFunction,
    event: ExamEvent,
    { text, bystander, bystanderText }: Extract<ProbeState, { text: string }>,
  ): Promise<Verdict> {
    const after = await this.#waits.untilStill(() => look(event), text);
    if (after === text) {
      this.#effectsProblem = NO_EFFECT;
      const givenHint = this.side.give === null ? `. ${GIVEN_HINT}` : '';
      const limitText = `${String(this.options.settleMs / 1000)} s`;
      return failure(
        `accepted, but --effect shows no change within ${limitText}: ${quoted(text)}${givenHint}`,
      );
    }
    if ((await look(bystander)) === bystanderText) this.#textsAfterOne.push({ event, text: after });
    else
      this.#effectsProblem =
        '--effect shows other operations too: let it print what belongs to $SVC_OPERATION_ID';
    return PASSED;
  }

  async #hint({ status, firstLine = '' }: DeliveryAnswer): Promise<string> {
    if (status === null) return '';
    if (status >= 300 && status < 400) return '. The service follows no redirect: give the final URL';
    if (UNVERIFIED_STATUSES.includes(status) && (await this.#reencodes()))
      return `. The receiver ${REENCODES}`;
    if (status === 403 || status === 419 || /csrf|authenticity/i.test(firstLine))
      return `. ${FRAMEWORK_HINT}${status === 403 ? `. ${SECRET_HINT}` : ''}`;
    if (status === 401) return `. ${SECRET_HINT} Or it ${REENCODES}`;
    const needsGiven = [404, 409, 410, 422].includes(status) && this.side.give === null;
    return needsGiven ? `. ${GIVEN_HINT}` : '';
  }

  async #reencodes(): Promise<boolean> {
    for (const change of REENCODINGS)
      if (isAccepted(await this.side.send(this.#parcel(await this.#newEvent(), { change })))) return true;
    return false;
  }

  async #accept(id: ReceiverCaseId, { type, isGiven = true, ...signing }: ParcelVariant): Promise<Verdict> {
    const event = isGiven ? await this.#newEvent(type) : this.side.event(type ?? DEFAULT_TYPE);
    const answer = await this.side.send(this.#parcel(event, signing));
    const verdict = this.#judgeAcceptance(id, answer);
    if (answer.status === null || verdict.why === null) return verdict;
    if (id in UNKNOWN_VARIANTS)
      return failure(`${verdict.why}. The service would send it again for 24 hours`);
    const isUnverified = id in TEXT_CHANGES && UNVERIFIED_STATUSES.includes(answer.status);
    return isUnverified ? failure(`${verdict.why}. Probably the receiver ${REENCODES}`) : verdict;
  }

  async #forge(id: ReceiverCaseId, forge: Forge): Promise<Judge> {
    const event = await this.#newEvent();
    const before = await this.#look(event);
    const answer = await this.side.send(forge(event, this.side.secret, this.#nowSeconds()));
    this.#forgeryAnswers.push({ id, status: answer.status });
    return async () => this.#judgeRefusal(id, answer, before, await this.#look(event));
  }

  /** A receiver must decide by the body or refuse the delivery, because the signature does not cover the headers. */
  async #forgeHeader(id: ReceiverCaseId, header: string): Promise<Judge> {
    const { look } = this.side;
    const judges: Judge[] = [];
    const send = async (event: ExamEvent, change: Partial<ExamEvent>, what: string, isDue: boolean) => {
      const before = await this.#look(event);
      const answer = await this.side.send(this.#parcel({ ...event, ...change }));
      judges.push(async () => {
        if (answer.status === null) return this.#failUnanswered(id, answer);
        const now = await this.#look(event);
        const isRight = (now !== before) === (isDue && isAccepted(answer));
        if (before === null || now === null || isRight) return PASSED;
        const effect = now === before ? 'no effect' : `an effect: ${quoted(before)} became ${quoted(now)}`;
        return failure(
          `${what} in ${header} was answered ${String(answer.status)} and had ${effect}. No signature covers the headers: decide by the body`,
        );
      });
    };
    const event = await this.#newEvent();
    if (id === 'forged.header-type') {
      const type = 'test.ping';
      await send(await this.#newEvent(type), { type: event.type }, `${type} with ${event.type}`, false);
      await send(event, { type }, `${event.type} with ${type}`, true);
    } else {
      const before = await this.#look(event);
      await this.side.send(this.#parcel(event));
      if (before !== null && look !== null) await this.#waits.untilStill(() => look(event), before);
      const { eventId } = this.side.event(event.type);
      await send(event, { eventId }, 'the same event with a new id', false);
      const newEvent = await this.#newEvent();
      await send(newEvent, { eventId: event.eventId }, 'a new event with the id of an earlier one', true);
    }
    return () => firstNotPassed(judges);
  }

  #judgeForgeryAnswers(): Promise<Verdict> {
    const failing = this.#forgeryAnswers.find(({ status }) => status !== null && status >= 500);
    const why = `${failing?.id ?? ''}: answered ${String(failing?.status)}, as if the receiver had failed`;
    return Promise.resolve(failing === undefined ? PASSED : failure(why));
  }

  #judgeRefusal(
    id: ReceiverCaseId,
    answer: DeliveryAnswer,
    before: string | null,
    after: string | null,
  ): Verdict {
    if (isAccepted(answer))
      return failure(`answered ${String(answer.status)}, but it must refuse this delivery`);
    if (answer.status === null) return this.#failUnanswered(id, answer);
    if (before === after) return PASSED;
    return failure(
      `refused with ${String(answer.status)}, but it had an effect: ${quoted(before ?? '')} became ${quoted(after ?? '')}`,
    );
  }

  #judgeAcceptance(id: ReceiverCaseId, answer: DeliveryAnswer): Verdict {
    if (isAccepted(answer)) return PASSED;
    return answer.status === null ? this.#failUnanswered(id, answer) : failure(answerWords(answer));
  }

  #failUnanswered(id: ReceiverCaseId, answer: DeliveryAnswer): Verdict {
    this.#firstUnanswered ??= id;
    if (!answer.sent) this.#unsent.add(id);
    return failure(answerWords(answer));
  }

  async #repeat(id: ReceiverCaseId, rounds: number): Promise<Judge> {
    const repeats: RepeatedDelivery[] = [];
    while (repeats.length < rounds) repeats.push(await this.#sendTwice(id));
    return () => firstNotPassed(repeats.map((repeat) => () => this.#judgeTwice(id, repeat)));
  }

  async #sendTwice(id: ReceiverCaseId): Promise<RepeatedDelivery> {
    const event = await this.#newEvent(id === 'ping' ? 'test.ping' : undefined);
    const before = await this.#look(event);
    const send = (): Promise<DeliveryAnswer> => this.side.send(this.#parcel(event));
    const { look } = this.side;
    const canSee = before !== null && look !== null;
    let textAfterFirst: string | null = null;
    const answers: DeliveryAnswer[] = [];
    if (id === 'twice.at-once')
      answers.push(...(await Promise.all(Array.from({ length: COPIES_AT_ONCE }, send))));
    else if (id === 'twice.cut') {
      await this.side.sendAndCut(this.#parcel(event));
      const waitMs = Math.min(this.options.settleMs, Math.max(500, 3 * this.#waits.effectMs()));
      if (canSee) await this.#waits.untilChanged(() => look(event), before, waitMs);
      else await this.side.clock.sleep(PAUSE_MS, this.side.signal);
      answers.push(await send());
    } else {
      answers.push(await send());
      if (id === 'twice.row') {
        if (canSee) textAfterFirst = await this.#waits.untilStill(() => look(event), before);
        answers.push(await send());
      }
    }
    return { event, before, textAfterFirst, answers };
  }

  async #judgeTwice(
    id: ReceiverCaseId,
    { event, before, textAfterFirst, answers }: RepeatedDelivery,
  ): Promise<Verdict> {
    const failedAnswer = answers.find((answer) => !isAccepted(answer));
    if (id === 'twice.at-once' ? !answers.some(isAccepted) : failedAnswer !== undefined) {
      return this.#judgeAcceptance(id, failedAnswer ?? { status: null, error: 'no answer', sent: true });
    }
    const now = await this.#look(event);
    if (before === null || now === null) return notJudged(this.#effectsProblem ?? NO_PROBE);
    const changeText = `${quoted(before)} became ${quoted(now)}`;
    if (id === 'ping') return now === before ? PASSED : failure(`test.ping had an effect: ${changeText}`);
    if (now === before) return failure(`no effect: --effect still prints ${quoted(now)}`);
    if (textAfterFirst !== null && textAfterFirst === now) return PASSED;
    const usualTexts = new Set(this.#textsAfterOne.map((one) => withoutNames(one.text, one.event)));
    if (usualTexts.has(withoutNames(now, event))) return PASSED;
    const [usualText = '', otherText] = usualTexts;
    if (otherText !== undefined) {
      return notJudged(
        `--effect prints different texts for two operations with one delivery each: ${quoted(usualText)} and ${quoted(otherText)}. Leave out what differs`,
      );
    }
    return failure(
      `not the same as one delivery. After one, --effect prints ${quoted(usualText)}. After ${TWICE_WORDS[id] ?? ''}, it prints ${quoted(withoutNames(now, event))}`,
    );
  }

  async #awaitEffects(): Promise<void> {
    const { look } = this.side;
    if (this.#effectsProblem !== null || look === null) return;
    await catchCommandFailure(async () => {
      const event = await this.#newEvent();
      const before = await look(event);
      if (isAccepted(await this.side.send(this.#parcel(event))))
        this.#textsAfterOne.push({ event, text: await this.#waits.untilStill(() => look(event), before) });
      return PASSED;
    });
    await this.#waits.outlast();
  }

  async #load(id: ReceiverCaseId, count: number): Promise<Verdict> {
    const events: ExamEvent[] = [];
    while (events.length < count) events.push(await this.#newEvent());
    const answers = await Promise.all(events.map((event) => this.side.send(this.#parcel(event))));
    const failedAnswers = answers.filter((answer) => !isAccepted(answer));
    const [first] = failedAnswers;
    if (first === undefined) return PASSED;
    const { why } = this.#judgeAcceptance(id, first);
    return failure(`${String(failedAnswers.length)} of ${String(count)} were not accepted: ${why ?? ''}`);
  }

  #disturbances(): Partial<Record<ReceiverCaseId, Parcel>> {
    const noJson = this.#parcel(this.side.event(DEFAULT_TYPE), { change: () => '{"id":' });
    return {
      'alive.get': { method: 'GET', headers: {}, body: null },
      'alive.empty': { method: 'POST', headers: {}, body: null },
      'alive.nojson': noJson,
    };
  }

  async #disturb(id: ReceiverCaseId, parcel: Parcel): Promise<Verdict> {
    await this.side.send(parcel);
    // A receiver that crashes needs a moment to end.
    await this.side.clock.sleep(PAUSE_MS / 2, this.side.signal);
    const answer = await this.side.send(this.#parcel(await this.#newEvent()));
    const { why } = this.#judgeAcceptance(id, answer);
    return why === null ? PASSED : failure(`the next good delivery was not accepted: ${why}`);
  }

  async #newEvent(type = DEFAULT_TYPE): Promise<ExamEvent> {
    const event = this.side.event(type);
    await this.side.give?.(event);
    return event;
  }

  async #look(event: ExamEvent): Promise<string | null> {
    return this.#effectsProblem !== null || this.side.look === null ? null : this.side.look(event);
  }

  #nowSeconds(): number {
    return Math.floor(this.side.clock.now() / 1000);
  }

  #parcel(event: ExamEvent, { change, secrets, aheadSeconds = 0 }: ParcelVariant = {}): Parcel {
    const text = change === undefined ? event.text : change(event.text);
    const timestamp = String(this.#nowSeconds() + aheadSeconds);
    return parcelOf({ ...event, text }, secrets ?? [this.side.secret], timestamp);
  }
}

type LookFunction = NonNullable<ReceiverSide['look']>;
type ProbeState =
  | { readonly why: string }
  | { readonly text: string; readonly bystander: ExamEvent; readonly bystanderText: string };

interface ParcelVariant {
  readonly type?: string;
  readonly isGiven?: boolean;
  readonly change?: (text: string) => string;
  readonly secrets?: readonly string[];
  readonly aheadSeconds?: number;
}

const DEFAULT_TYPE = 'payin.confirmed';
const TOLERATED_SECONDS = 290;
const OTHER_SECRET = 'whsec_of_the_rotation';

function acceptedVariants(secret: string): Partial<Record<ReceiverCaseId, ParcelVariant>> {
  const changes = Object.entries(TEXT_CHANGES).map(([id, change]) => [id, { change }] as const);
  return {
    'good.payin.failed': { type: 'payin.failed' },
    'good.payout.confirmed': { type: 'payout.confirmed' },
    'good.payout.failed': { type: 'payout.failed' },
    ...Object.fromEntries(changes),
    'rotation.first': { secrets: [secret, OTHER_SECRET] },
    'rotation.second': { secrets: [OTHER_SECRET, secret] },
    'time.old-290': { aheadSeconds: -TOLERATED_SECONDS },
    'time.ahead-290': { aheadSeconds: TOLERATED_SECONDS },
  };
}

const UNKNOWN_VARIANTS: Readonly<Partial<Record<ReceiverCaseId, ParcelVariant>>> = {
  'unknown.type': { type: 'payin.refunded' },
  'unknown.members': { change: withUnknownMembers },
  'unknown.operation': { type: 'payout.failed', isGiven: false },
};

/** A race in the receiver shows only now and then, so `twice.at-once` has eight rounds. */
const REPEATED_ROUNDS = { 'twice.row': 1, 'twice.at-once': 8, 'twice.cut': 1, ping: 1 };

const FALSE_HEADERS: Readonly<Record<FalseHeaderId, string>> = {
  'forged.header-type': DELIVERY_HEADERS.type,
  'forged.header-id': DELIVERY_HEADERS.id,
};

interface RepeatedDelivery {
  readonly event: ExamEvent;
  readonly before: string | null;
  readonly textAfterFirst: string | null;
  readonly answers: readonly DeliveryAnswer[];
}

const TWICE_WORDS: Readonly<Partial<Record<ReceiverCaseId, string>>> = {
  'twice.row': 'two',
  'twice.at-once': 'five at once',
  'twice.cut': 'a lost answer and a second delivery',
};

const NO_PROBE = 'no --effect was given, so nobody can see what the receiver did';
const NO_EFFECT = 'a good delivery changes nothing that --effect shows';
const NOT_EXAMINED = 'the first good delivery did not pass, so nothing else was examined';
const SECRET_HINT = 'Does the receiver have another secret? See --secret-file.';
const FRAMEWORK_HINT =
  'A framework often answers so before your code runs, as its CSRF protection does: exempt this route';
const REENCODES = 're-encodes the body before it verifies. The signature is over the raw bytes';
const UNVERIFIED_STATUSES: readonly number[] = [400, 401, 403];
const GIVEN_HINT = 'Does the receiver need to know the operation? Make it known with --given';

async function firstNotPassed(judges: readonly Judge[]): Promise<Verdict> {
  for (const judge of judges) {
    const verdict = await judge();
    if (verdict.status !== 'passed') return verdict;
  }
  return PASSED;
}

async function catchCommandFailure<T>(work: () => Promise<T>): Promise<T | Verdict> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CommandFailed) return notJudged(error.message);
    throw error;
  }
}

function answerWords({ status, error, location }: DeliveryAnswer): string {
  if (status === null) return `no answer: ${error ?? 'unknown'}`;
  return `answered ${String(status)}${location === undefined ? '' : ` with a redirect to ${location}`}`;
}

function withoutNames(text: string, { operationId, reference, eventId }: ExamEvent): string {
  return text
    .replaceAll(operationId, 'OPERATION')
    .replaceAll(reference, 'REFERENCE')
    .replaceAll(eventId, 'EVENT');
}

const QUOTED_MAX = 120;

function quoted(text: string): string {
  const line = text.trim();
  return JSON.stringify(line.length > QUOTED_MAX ? `${line.slice(0, QUOTED_MAX)}...` : line);
}
