import { readCapabilities } from '../../contract/catalog-schema.js';
import type { BankRule } from '../../contract/create.js';
import { memberAt, readList } from '../../contract/json.js';
import { contractBroken, Failure } from '../../runtime/failure.js';
import { nextCommand } from '../../command/ending.js';
import { readEndpoint } from '../../command/read.js';
import type { Where } from '../../session/place-flags.js';
import type { SessionRun } from '../../command/command.js';

export async function fetchCatalogNow(run: SessionRun<Where>) {
  try {
    return await readCatalog(run);
  } catch (error) {
    const isOther = !(error instanceof Failure) || error.kind === 'no_access';
    if (isOther || (error.kind === 'network' && error.facts.outcome === 'not_sent')) throw error;
    throw new Failure('unavailable', `svc could not read the catalog. Nothing was sent. ${error.head}`, {
      ...error.facts,
      outcome: 'not_sent',
      retryable: true,
      nextCommand: nextCommand({ kind: 'same', key: null }, run) ?? undefined,
    });
  }
}

async function readCatalog(run: SessionRun<Where>) {
  const catalog = readCapabilities(await readEndpoint('capabilities', {}, run));
  if (catalog === null) throw contractBroken('its catalog has another form');
  const banks = new Map<string, string>();
  const countries = new Set<string>();
  for (const { code } of catalog.countries) {
    const body = await readEndpoint('banks', { query: { country: code } }, run);
    countries.add(code);
    for (const { start, end } of readList(body, 'banks')?.elements ?? []) {
      const bankBytes = Buffer.from(body.buffer, body.byteOffset + start, end - start);
      const [bankCode, methods] = [textAt(bankBytes, 'code'), textAt(bankBytes, 'methods')];
      if (bankCode !== null && methods !== null) banks.set(`${code} ${bankCode}`, methods);
    }
  }
  const supportsBank: BankRule = (country, bank, method) =>
    !countries.has(country) || (banks.get(`${country} ${bank}`)?.includes(`"${method}"`) ?? false);
  const bankOf = (country: string, method: string): string | null => {
    const key = [...banks.keys()].find((one) => {
      const [bankCountry = '', bank = ''] = one.split(' ');
      return bankCountry === country && supportsBank(country, bank, method);
    });
    return key?.split(' ')[1] ?? null;
  };
  return { catalog, supportsBank, bankOf };
}

function textAt(bytes: Buffer, name: string): string | null {
  const range = memberAt(bytes, name);
  if (range === null) return null;
  const value: unknown = JSON.parse(bytes.toString('utf8', range.start, range.end));
  return typeof value === 'string' ? value : JSON.stringify(value);
}
