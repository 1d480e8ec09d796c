import type { HttpAnswer, HttpRequest } from '../../../../src/runtime/transport.js';
import { batchesOf } from '../books.js';
import { createWords, rowOf, type Row } from '../catalog.js';
import { wordsOf, type Ended, type Machine } from '../machine.js';
import { HOUR_MS, type Fate, type Operation } from '../service.js';
import { CALM, SimulatedWorld } from '../world.js';

export const REFERENCE = 'a';
export const BATCH = 'n1';
export const OTHER_BATCH = 'n2';
const BEFORE: Fate = { fault: 'lost_before', pendingHours: 0 };

export class Scene {
  readonly world = new SimulatedWorld(CALM);
  readonly machine: Machine;
  readonly elsewhere: Machine;
  #change: ((answer: HttpAnswer, request: HttpRequest) => HttpAnswer) | null = null;
  line: readonly string[] = [];
  last: Ended | null = null;

  constructor() {
    [this.machine, this.elsewhere] = this.world.machines;
    this.world.isCareful = false;
    const { service } = this.world;
    const answer = service.answer.bind(service);
    service.answer = (request, kill) => {
      const given = answer(request, kill);
      return this.#change === null ? given : this.#change(given, request);
    };
  }

  async batch(words: readonly string[] = [], before: readonly Row[] = []): Promise<void> {
    const { world, machine } = this;
    world.intents.set(BATCH, 1);
    this.line = world.batchLine(machine, BATCH, 'payout', [...before, rowOf(REFERENCE)], words);
    this.last = await world.type(machine, this.line, 1);
  }

  async single(words: readonly string[] = [], amount = 100): Promise<void> {
    this.line = [...createWords('payout', rowOf(REFERENCE, { amount })), '--live', '--json', ...words];
    this.last = await this.world.type(this.machine, this.line, 1);
  }

  async payElsewhere(amount = 100, account: Row['account'] = 'good'): Promise<void> {
    await this.world.batch(this.elsewhere, 'other', 'payout', [rowOf(REFERENCE, { amount, account })]);
  }

  remembersRefused(): void {
    const { quirks } = this.world.service;
    quirks.manners = { ...quirks.manners, remembers: 'all' };
  }

  async type(...words: readonly string[]): Promise<void> {
    this.last = await this.world.type(this.machine, [...words, '--live', '--json'], 1);
  }

  follow(line: string): Promise<Ended> {
    const words = wordsOf(line);
    const json = words.includes('--') || words.includes('--json') ? [] : ['--json'];
    return this.world.type(this.machine, [...words, ...json], 1, words.at(-1) === OTHER_BATCH ? 'B' : 'A');
  }

  next(fault: Fate['fault'], pendingHours = 0, times = 1): void {
    for (let time = 0; time < times; time += 1) this.world.service.script.push({ fault, pendingHours });
  }

  nothingArrives(): void {
    this.world.service.script.push(BEFORE, BEFORE, BEFORE);
  }

  answerIsLost(pendingHours = 0): void {
    this.world.service.script.push({ fault: 'lost_after', pendingHours }, BEFORE, BEFORE);
  }

  hours(count: number): void {
    this.world.hours(count);
  }

  fails(isSo: boolean): void {
    this.world.service.outcome = isSo ? 'failed' : null;
  }

  changeAmount(amount: string | null): void {
    this.#change = (answer, { method }) => {
      if (method !== 'POST' || amount === null) return answer;
      const told = JSON.parse(Buffer.from(answer.body).toString()) as object;
      return { ...answer, body: Buffer.from(JSON.stringify({ ...told, amount })) };
    };
  }

  saysDate(isSo: boolean): void {
    const { service } = this.world;
    service.manners = { ...service.manners, saysDate: isSo };
  }

  boots(aheadHours: number): void {
    this.machine.skewMs = aheadHours * HOUR_MS;
    this.machine.reboot();
  }

  forgets(isSure = true): void {
    const { service } = this.world;
    const gone = new Set(service.ledger.map(({ id }) => id));
    if (isSure) service.lose();
    this.#change = (answer, { method, url }) => {
      if (method !== 'GET' || ![...gone].some((id) => url.endsWith(`/${id}`))) return answer;
      const body = { error: { code: 'not_found', message: 'Said by the service.' } };
      return { ...answer, status: 404, body: Buffer.from(JSON.stringify(body)) };
    };
  }

  ends(outcome: Operation['outcome']): void {
    const { service } = this.world;
    for (const one of service.ledger)
      if (one.status === 'pending') Object.assign(one, { outcome, dueAtMs: service.nowMs });
    service.settle();
  }

  get known(): Operation | null {
    const of = this.world.service.ledger.filter(({ reference }) => reference === REFERENCE);
    return of.findLast(({ status }) => status !== 'failed') ?? of.at(-1) ?? null;
  }

  get payments(): number {
    return this.world.service.ledger.filter(
      ({ reference, status }) => reference === REFERENCE && status !== 'failed',
    ).length;
  }

  async row(): Promise<string | null> {
    const book = (await batchesOf(this.machine)).find(({ batch }) => batch.name === BATCH);
    return book?.rows.find(({ reference }) => reference === REFERENCE)?.state ?? null;
  }

  status(...words: readonly string[]): Promise<Ended> {
    return this.machine.svc([...words, '--live'], 'A', () => 'yes', { isTerminal: true });
  }
}
