import { isUuid } from '../../contract/notation.js';
import type { CompanyMatch } from '../../storage/journal/precedence.js';
import type { JournalRequest } from '../../storage/journal/request.js';
import type { Company, Mirrors, Place } from '../../storage/mirror/mirror.js';
import type { SingleCreate } from './payments.js';

export interface CompanySources {
  readonly place: Place;
  readonly findOwnCompany?: () => Promise<Company | null>;
  readonly mirrors: () => Promise<Mirrors | null>;
  readonly newestOf: (keyPrint: string) => Promise<JournalRequest | null>;
  readonly read: (operation: string) => Promise<'there' | 'absent' | 'unknown'>;
}

export class SingleCreates {
  readonly #sources: CompanySources;
  readonly #matches = new Map<string, CompanyMatch>();

  constructor(sources: CompanySources) {
    this.#sources = sources;
  }

  async of(requests: readonly JournalRequest[]): Promise<SingleCreate[]> {
    const singles: SingleCreate[] = [];
    for (const request of requests) {
      const { idempotencyKey: key, row, follows, generation, sinceMs, amount, currency } = request;
      const { accountTail, state, referenceMark, firstLeftMs, settled } = request;
      singles.push({
        ...{ key, row, follows, generation, sinceMs, amount, currency, accountTail },
        atMs: settled === null ? firstLeftMs : settled.createdAtMs,
        isSettled: state === 'settled',
        isForgotten: state === 'forgotten' || request.mayNotRepeat,
        isRecorded: state === 'recorded',
        operation: settled?.operation ?? null,
        status: settled?.status ?? null,
        referenceMark: Buffer.from(referenceMark ?? []).toString('hex'),
        company: await this.#ask(request),
      });
    }
    return singles;
  }

  companyMatchOf(request: Pick<JournalRequest, 'origin' | 'keyPrint'>): CompanyMatch {
    if (request.keyPrint === this.#sources.place.keyPrint) return 'same';
    return this.#matches.get(matchKeyOf(request)) ?? 'unknown';
  }

  async #ask(request: JournalRequest): Promise<CompanyMatch> {
    if (this.companyMatchOf(request) !== 'unknown') return this.companyMatchOf(request);
    const { place, findOwnCompany: findOurs = () => this.#companyOf(place) } = this.#sources;
    const [theirCompany, ourCompany] = await Promise.all([this.#companyOf(request), findOurs()]);
    const isSameCompany = theirCompany !== null && theirCompany.id === ourCompany?.id;
    // A shared mirror alone proves nothing: other machines can write to it.
    const isProved = isSameCompany && (await this.#sources.mirrors())?.isShared === false;
    const match = isProved ? 'same' : await this.#byOperation(request, theirCompany);
    this.#matches.set(matchKeyOf(request), match);
    return match;
  }

  async #companyOf({ environment, origin, keyPrint }: Place): Promise<Company | null> {
    const mirrors = await this.#sources.mirrors();
    return mirrors === null ? null : mirrors.companyOf({ environment, origin, keyPrint });
  }

  /** An operation decides: if this API key does not see it, the request belongs to another company. */
  async #byOperation(
    { settled, keyPrint }: JournalRequest,
    theirCompany: Company | null,
  ): Promise<CompanyMatch> {
    const { newestOf, read } = this.#sources;
    const operation =
      settled?.operation ??
      (await newestOf(keyPrint))?.settled?.operation ??
      (theirCompany === null ? null : await this.#newestIn(theirCompany));
    if (operation === null || !isUuid(operation)) return 'unknown';
    const answer = await read(operation);
    return answer === 'unknown' ? answer : answer === 'there' ? 'same' : 'other';
  }

  async #newestIn(company: Company): Promise<string | null> {
    const mirrors = await this.#sources.mirrors();
    if (mirrors === null || mirrors.isShared) return null;
    return (await mirrors.of(company).newest())?.id ?? null;
  }
}

function matchKeyOf({ origin, keyPrint }: Pick<JournalRequest, 'origin' | 'keyPrint'>): string {
  return `${origin} ${keyPrint}`;
}
