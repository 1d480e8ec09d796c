/** How a request can end, in the ways that could bring a secret to light: a service that repeats all it was sent, and everything that breaks. */
import {
  NotAnswered,
  type HttpAnswer,
  type HttpRequest,
  type Transport,
} from '../../../src/runtime/transport.js';
import { CODE, DOCUMENT } from './canaries.js';

export const ENDINGS = [
  'carried out',
  'a 500 that repeats everything',
  'a 400 that repeats everything',
  'a page that repeats everything',
  'a lost answer',
  'a time limit',
  'nobody there',
  'a defect that holds everything',
] as const;
export type Ending = (typeof ENDINGS)[number];

/** The service behind that ending. */
export function ending(name: Ending, service: Transport): Transport {
  return (request, options) => {
    switch (name) {
      case 'carried out':
        return service(request, options);
      case 'a 500 that repeats everything':
        return Promise.resolve(repeating(500, request));
      case 'a 400 that repeats everything':
        return Promise.resolve(repeating(400, request));
      case 'a page that repeats everything':
        return Promise.resolve({
          ...repeating(200, request),
          body: Buffer.from(`<html>${everything(request)}`),
        });
      case 'a lost answer':
        return Promise.reject(new NotAnswered('reset', true, `cut after ${everything(request)}`));
      case 'a time limit':
        return Promise.reject(new NotAnswered('timeout', true, 'no whole answer in time'));
      case 'nobody there':
        return Promise.reject(new NotAnswered('connect', false, `refused: ${everything(request)}`));
      case 'a defect that holds everything':
        return Promise.reject(new TypeError(`cannot read ${everything(request)}`));
    }
  };
}

/** Headers, body, and what the service made of them, in the words of a person. */
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
