import { createClient } from '@hey-api/openapi-ts';
import { build } from 'esbuild';
import { readFileSync, writeFileSync } from 'node:fs';
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
interface Post {
  readonly parameters: readonly { readonly name: string; readonly example?: string }[];
  readonly requestBody: { readonly content: { readonly 'application/json': { readonly example: object } } };
}
const published = openApi() as unknown as {
  readonly paths: Readonly<Record<string, { readonly post: Post }>>;
};

type Call = (options: object) => Promise<Result>;
type Name =
  'payinsCreate' | 'payinsConfirm' | 'payinsGet' | 'payoutsCreate' | 'webhooksRegister' | 'eventsList';
interface Sdk extends Readonly<Record<Name, Call>> {
  readonly client: { setConfig(config: object): void };
}

async function generated(): Promise<Sdk> {
  const folder = testFolder();
  const input = join(folder, 'openapi.json');
  writeFileSync(input, JSON.stringify(published));
  await createClient({
    ...{ input, output: { path: join(folder, 'api'), postProcess: [] }, logs: { level: 'silent' } },
    plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
  });
  const types = readFileSync(join(folder, 'api', 'types.gen.ts'), 'utf8');
  expect(types).not.toMatch(/unknown &|& unknown/);
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
  const exampleOf = (path: string) => {
    const { parameters, requestBody } = published.paths[path]!.post;
    const key = parameters.find(({ name }) => name === 'Idempotency-Key')?.example;
    const body = requestBody.content['application/json'].example;
    return { body, headers: key === undefined ? {} : { 'Idempotency-Key': key } };
  };
  const { body, headers } = exampleOf('/v2/payins');
  const created = await sdk.payinsCreate({ body, headers });
  expect(created).toMatchObject({ data: { status: 'pending' } });
  const id = created.data?.id;
  expect((await sdk.payinsCreate({ body, headers })).data?.id).toBe(id);
  const confirmed = await sdk.payinsConfirm({ path: { id }, ...exampleOf('/v2/payins/{id}/confirm') });
  expect(confirmed).toMatchObject({ data: { id, status: 'confirmed' } });
  expect((await sdk.payinsGet({ path: { id } })).data).toEqual(confirmed.data);
  expect((await sdk.payoutsCreate(exampleOf('/v2/payouts'))).data?.status).toBe('confirmed');
  const registered = await sdk.webhooksRegister(exampleOf('/v2/webhook-endpoints'));
  expect(registered.data).toMatchObject({ secret: expect.stringMatching(/^whsec_/) as string });
  const { data } = await sdk.eventsList({ query: { limit: 10 } });
  expect(data?.events?.map(({ type }) => type)).toEqual(['payin.confirmed', 'payout.confirmed']);
  const wrong = await sdk.payinsConfirm({ path: { id }, body: { code: '123456' } });
  expect(wrong.error?.error.code).toBe('code_not_expected');
});
