/** The table is whole: whatever a row needs elsewhere is there, and where the compiler does not ask for it, this does. */
import { describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/contract/access.js';
import { endpoint, ENDPOINT_IDS, type EndpointId } from '../../src/contract/endpoints.js';
import { TOPICS } from '../../src/cli/line/topics.js';
import { COMMAND_IDS, REGISTRY } from '../../src/commands/registry.js';
import { CSV_COLUMNS } from '../../src/output/csv-columns.js';
import { ANSWERS } from '../output/samples.js';
import { ALL_SCOPES, ROWS } from '../sandbox/support/endpoints.js';

const commands = await Promise.all(
  COMMAND_IDS.map(async (id) => ({ id, endpoint: (await REGISTRY[id]()).default.endpoint })),
);

describe.each(ENDPOINT_IDS)('%s', (id) => {
  it('has a command of its own name in src/commands/', () => {
    const own = commands.find((command) => command.id === id.replaceAll('.', ' '));
    expect(own?.endpoint, `src/commands/registry.ts, and \`static endpoint = '${id}'\` there`).toBe(id);
  });

  it('is in the tests of the sandbox as the specification says it', () => {
    const row = ROWS.find((one) => one.id === id);
    const { method, path, scope } = endpoint(id);
    expect({ ...row, path: row?.path.split('?')[0] }, 'ROWS of test/sandbox/support/endpoints.ts').toEqual({
      id,
      method,
      path,
      scope,
    });
  });
});

describe.each([...new Set(ENDPOINT_IDS.map((id) => endpoint(id).result))])('the result %s', (result) => {
  const ids = ENDPOINT_IDS.filter((id) => endpoint(id).result === result);

  it('has a sample, from which its goldens are made', () => {
    const sampled = Object.keys(ANSWERS) as EndpointId[];
    expect(
      ids.filter((id) => sampled.includes(id)),
      'ANSWERS of test/output/samples.ts',
    ).not.toEqual([]);
  });

  it.runIf(ids.some((id) => endpoint(id).list !== null))('has its columns as csv', () => {
    expect(CSV_COLUMNS[result], 'src/output/csv-columns.ts').toBeDefined();
  });
});

it('has every scope in the tests of the sandbox', () => {
  expect(ALL_SCOPES, 'test/sandbox/support/endpoints.ts').toEqual(SCOPES);
});

it('has a line of help for every topic', () => {
  const topics = COMMAND_IDS.filter((id) => id.includes(' ')).map((id) => id.split(' ')[0]);
  expect(Object.keys(TOPICS).toSorted(), 'src/cli/line/topics.ts').toEqual([...new Set(topics)].toSorted());
});
