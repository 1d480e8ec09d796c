/** A client that a generator of others makes of the published contract works against the sandbox. */
import { createClient } from '@hey-api/openapi-ts';
import { build } from 'esbuild';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { openApi } from '../../../src/contract/openapi/openapi.js';
import '../../support/starting.js';
import { testFolder } from '../../support/test-folder.js';
import { started } from '../../sandbox/testing/client.js';

interface Result {
  readonly data?: {
    readonly id?: string;
    readonly status?: string;
    readonly events?: readonly { readonly type: string }[];
  };
  readonly error?: { readonly error: { readonly code: string } };
}
type Call = (options: object) => Promise<Result>;
interface Sdk extends Readonly<Record<'payinsCreate' | 'payinsConfirm' | 'payinsGet' | 'eventsList', Call>> {
  readonly client: { setConfig(config: object): void };
}

async function generated(): Promise<Sdk> {
  const folder = testFolder();
  const input = join(folder, 'openapi.json');
  writeFileSync(input, JSON.stringify(openApi()));
  await createClient({
    ...{ input, output: { path: join(folder, 'api'), postProcess: [] }, logs: { level: 'silent' } },
    plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
  });
  const entry = join(folder, 'entry.ts');
  writeFileSync(entry, "export * from './api/sdk.gen.js';\nexport { client } from './api/client.gen.js';\n");
  const outfile = join(folder, 'client.mjs');
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
  });
  return (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as Sdk;
}

it('creates, confirms and lists', async () => {
  const sandbox = await started({ code: '123456' });
  const sdk = await generated();
  sdk.client.setConfig({ baseUrl: sandbox.serviceUrl, auth: sandbox.apiKey });
  const body = {
    ...{ method: 'debit_otp', amount: '10.00', country: 'VE', currency: 'VES', reference: 'order-1' },
    payer: { document: { type: 'V', number: '12345678' }, bank_code: '0102', phone: '04121234567' },
  };
  const headers = { 'Idempotency-Key': 'order-1-key' };
  const created = await sdk.payinsCreate({ body, headers });
  expect(created).toMatchObject({ data: { status: 'pending' } });
  const id = created.data?.id;
  expect((await sdk.payinsCreate({ body, headers })).data?.id).toBe(id);
  const confirmed = await sdk.payinsConfirm({ path: { id }, body: { code: '123456' } });
  expect(confirmed).toMatchObject({ data: { id, status: 'confirmed' } });
  expect((await sdk.payinsGet({ path: { id } })).data).toEqual(confirmed.data);
  const { data } = await sdk.eventsList({ query: { limit: 10 } });
  expect(data?.events?.map(({ type }) => type)).toEqual(['payin.confirmed']);
  const wrong = await sdk.payinsConfirm({ path: { id }, body: { code: '123456' } });
  expect(wrong.error?.error.code).toBe('code_not_expected');
});
