import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import openapiTypes, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { endpoint, ENDPOINT_IDS } from '../../../src/contract/endpoints.js';
import { ERRORS, type ErrorCode } from '../../../src/contract/errors.js';
import { COMPONENTS, type ComponentName } from '../../../src/contract/openapi/components.js';
import { BODY_EXAMPLES } from '../../../src/contract/openapi/examples.js';
import { type JsonSchema, ref, selfContained } from '../../../src/contract/openapi/json-schema.js';
import { openApi } from '../../../src/contract/openapi/openapi.js';
import { ANSWERS } from '../../output/samples.js';
import { answerComplaints, complaintsOf } from '../../support/contract-check.js';
import { testFolder } from '../../support/test-folder.js';
import { SAMPLES } from './samples.js';

const document = openApi();
const paths = document['paths'] as Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;

it('leaves a linter of OpenAPI without a word (the contract names no license)', async () => {
  const config = await createConfig({ extends: ['recommended-strict'], rules: { 'info-license': 'off' } });
  const source = JSON.stringify(document);
  const said = await lintFromString({ source, config, absoluteRef: '/openapi.json' });
  expect(said.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
});

it('makes types that compile, and that the examples fit', async () => {
  const types = astToString(await openapiTypes(document as never));
  const folder = testFolder();
  writeFileSync(join(folder, 'api.ts'), types);
  const values = [...Object.entries(SAMPLES), ['NuevoPayOut', BODY_EXAMPLES.new_payout] as const];
  const examples = values.map(
    ([name, value], at) =>
      `export const a${String(at)}: components['schemas']['${name}'] = ${JSON.stringify(value)};\n`,
  );
  writeFileSync(join(folder, 'use.ts'), `import type { components } from './api.js';\n${examples.join('')}`);
  const program = ts.createProgram([join(folder, 'use.ts')], {
    ...{ strict: true, noEmit: true, skipLibCheck: true, types: [] },
    ...{ module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
  });
  const said = ts.getPreEmitDiagnostics(program).map(({ messageText }) => JSON.stringify(messageText));
  expect(said).toEqual([]);
});

describe.each(ENDPOINT_IDS)('%s', (id) => {
  const { path, method, scope, retry, lookup, query, requires = [], errors, body } = endpoint(id);
  const written = paths[path]![method.toLowerCase()]!;

  it('says its scope, what may be repeated, its key, and where an unknown outcome is looked up', () => {
    const hasKey = (written['parameters'] as JsonSchema[]).some(({ name }) => name === 'Idempotency-Key');
    expect(written).toMatchObject({
      ...{ operationId: id, 'x-scope': scope, 'x-retry': retry, 'x-look-up': lookup },
      'x-idempotency-key': hasKey ? 'required' : 'none',
    });
    expect(hasKey).toBe(retry === 'keyed');
  });

  it('says of each part of its query what it may be, and whether it may be absent', () => {
    const parameters = (written['parameters'] as JsonSchema[]).filter((one) => one['in'] === 'query');
    expect(parameters.map(({ name, required }) => [name, required])).toEqual(
      query.map((name) => [name, requires.includes(name)]),
    );
    for (const { schema } of parameters) expect(schema).not.toEqual({});
  });

  it('has an example of each required parameter and of its body', () => {
    const parameters = (written['parameters'] as JsonSchema[]).filter((one) => one['required'] === true);
    for (const { name, example } of parameters) expect([name, typeof example]).toEqual([name, 'string']);
    const sent = written['requestBody'] as { content: Record<string, JsonSchema> } | undefined;
    expect(sent?.content['application/json']?.['example'] !== undefined).toBe(sent !== undefined);
  });

  it('lists each error that it may answer with, by its status', () => {
    const answers = written['responses'] as Readonly<Record<string, JsonSchema>>;
    const listed = Object.entries(answers).flatMap(([status, { 'x-codes': codes = [] }]) =>
      (codes as ErrorCode[]).map((code) => [code, Number(status)]),
    );
    const meant = ['unauthorized', ...(scope === null ? [] : ['scope_missing']), ...errors] as ErrorCode[];
    if (body === 'none') meant.push('body_invalid', 'field_invalid');
    expect(new Map(listed as [ErrorCode, number][])).toEqual(
      new Map(meant.map((code) => [code, ERRORS[code].status])),
    );
  });
});

it.each(Object.entries(ANSWERS))('the sample answer of %s fits', (id, body) => {
  const row = id as (typeof ENDPOINT_IDS)[number];
  expect(answerComplaints(row, endpoint(row).success, JSON.stringify(body))).toEqual([]);
});

type Alteration = readonly [what: string, value: unknown];
const without = (value: object, name: string): object =>
  Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));

describe.each(Object.keys(COMPONENTS) as ComponentName[])('%s', (name) => {
  const schema = selfContained(ref(name), COMPONENTS);
  const sample: unknown = SAMPLES[name];

  it('takes its sample', () => expect(complaintsOf(schema, sample)).toEqual([]));

  const isObject = typeof sample === 'object' && sample !== null;
  const declared = COMPONENTS[name] as { required?: readonly string[]; properties?: JsonSchema };
  const wrong: Alteration[] = isObject
    ? [
        ...(declared.required ?? []).map((key): Alteration => [`without ${key}`, without(sample, key)]),
        ...Object.keys(declared.properties ?? {})
          .filter(
            (key) =>
              key in sample &&
              !('x-not-specified' in (declared.properties![key] as object) && name === 'Capacidades'),
          )
          .map((key): Alteration => [
            `${key} is of another type`,
            { ...sample, [key]: key === 'amount' ? 10 : [true, 1] },
          ]),
        ['no object', []],
      ]
    : [
        ['a word that it does not know', 'nonsense'],
        ['no text', 1],
      ];

  it.each(wrong)('refuses %s', (_, value) => expect(complaintsOf(schema, value)).not.toEqual([]));
});

describe('closed and open', () => {
  const more = (value: unknown): object => ({ ...(value as object), of_a_newer_service: 1 });

  it.each(['NuevoPayIn', 'NuevoPayOut', 'Pagador', 'Beneficiario', 'Mandato', 'NuevoWebhook'] as const)(
    '%s is closed: the service refuses what it does not know',
    (name) => {
      expect(complaintsOf(selfContained(ref(name), COMPONENTS), more(SAMPLES[name]))).not.toEqual([]);
    },
  );

  it.each(['Operacion', 'Evento', 'Error', 'Metodo', 'ListaDeEventos', 'WebhookRegistrado'] as const)(
    '%s is open: the service grows',
    (name) => {
      expect(complaintsOf(selfContained(ref(name), COMPONENTS), more(SAMPLES[name]))).toEqual([]);
    },
  );

  it('metadata is open in a body', () => {
    const body = { ...(SAMPLES.NuevoPayOut as object), metadata: { anything: [1, { at: 'all' }] } };
    expect(complaintsOf(selfContained(ref('NuevoPayOut'), COMPONENTS), body)).toEqual([]);
  });
});

it('a failed operation says why, by a reason of its code; a confirmed one since when', () => {
  const schema = selfContained(ref('Operacion'), COMPONENTS);
  const operation = SAMPLES.Operacion as object;
  const failure = { code: 'expired', reason: 'expired', message: 'The payment window ended.' };
  const failed = { ...operation, status: 'failed', pending_reason: null, failure };
  expect(complaintsOf(schema, failed)).toEqual([]);
  expect(complaintsOf(schema, without(failed, 'failure'))).not.toEqual([]);
  expect(complaintsOf(schema, { ...failed, failure: { ...failure, reason: 'timeout' } })).not.toEqual([]);
  expect(complaintsOf(schema, { ...failed, pending_reason: 'processing' })).not.toEqual([]);
  const confirmed = {
    ...{ ...operation, status: 'confirmed', pending_reason: null },
    ...{ bank_reference: '00000001', confirmed_at: '2026-09-23T15:00:00Z' },
  };
  expect(complaintsOf(schema, confirmed)).toEqual([]);
  expect(complaintsOf(schema, without(confirmed, 'confirmed_at'))).not.toEqual([]);
  expect(complaintsOf(schema, { ...confirmed, bank_reference: null })).not.toEqual([]);
});
