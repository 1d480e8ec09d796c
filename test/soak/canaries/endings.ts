import {
  NotAnswered,
  type HttpAnswer,
  type HttpRequest,
  type Transport,
} from '../../../src/runtime/transport.js';
import { CODE, DOCUMENT } from './canaries.js';

const lost = (...[reason, isSent, message]: ConstructorParameters<typeof NotAnswered>): Promise<never> =>
  Promise.reject(new NotAnswered(reason, isSent, message));

const ANSWERS = {
  'carried out': null,
  'a 500 that repeats everything': (request) => Promise.resolve(repeating(500, request)),
  'a 400 that repeats everything': (request) => Promise.resolve(repeating(400, request)),
  'a page that repeats everything': (request) =>
    Promise.resolve({ ...repeating(200, request), body: Buffer.from(`<html>${everything(request)}`) }),
  'a lost answer': (request) => lost('reset', true, `cut after ${everything(request)}`),
  'a time limit': () => lost('timeout', true, 'no whole answer in time'),
  'nobody there': (request) => lost('connect', false, `refused: ${everything(request)}`),
  'a defect that holds everything': (request) =>
    Promise.reject(new TypeError(`cannot read ${everything(request)}`)),
} as const satisfies Record<string, ((request: HttpRequest) => Promise<HttpAnswer>) | null>;
export type Ending = keyof typeof ANSWERS;
export const ENDINGS = Object.keys(ANSWERS) as Ending[];

export const ending =
  (name: Ending, service: Transport): Transport =>
  (request, options) =>
    ANSWERS[name]?.(request) ?? service(request, options);

function everything({ headers, body }: HttpRequest): string {
  const text = Buffer.from(body ?? []).toString('utf8');
  const key = (headers['authorization'] ?? '').replace('Bearer ', '');
  const encoded = Buffer.from(`:${key}`).toString('base64');
  const said = text.includes(CODE) ? `the code ${CODE} is not the one` : '';
  const member = text.includes(DOCUMENT) ? `{"document":{"number":"${DOCUMENT}"}}` : '';
  return `${JSON.stringify(headers)} ${text} ${encoded} key=${key} ${said} ${member}`;
}

function repeating(status: number, request: HttpRequest): HttpAnswer {
  const message = `I was sent: ${everything(request)}`;
  const details = [{ field: message, code: 'invalid' }];
  const error = { code: 'field_invalid', message, details };
  return {
    status,
    headers: [
      ['content-type', 'application/json'],
      ['x-request-id', request.headers['authorization'] ?? ''],
      ['x-more', message.replaceAll(/[^\x20-\x7e]/g, '')],
    ],
    body: Buffer.from(JSON.stringify({ error })),
  };
}
