import { DOCUMENT_OUTCOMES } from '../machine/documents.js';
import { RESET_COMMAND } from './actions.js';
import { curlLine, keyWithScope, ownerOf, serviceCall } from './call.js';
import { ButtonWithCommand } from './doing.js';
import { asWords } from './format.js';
import { Line } from './parts.js';
import { hrefOf } from './route.js';
import { companies, origin } from './server.js';

export function StartHelp() {
  const owner = ownerOf(companies.value, { company: 'default', environment: 'sandbox' });
  const key = keyWithScope(owner, 'saldos:leer');
  return (
    <div class="start">
      <p>
        Nothing here yet. <a href={hrefOf('new')}>Make the first one</a>, or point a program at this server.
      </p>
      <Line label="address" text={`${origin}/sandbox`} />
      {key !== undefined && (
        <>
          <Line label="key" text={key} />
          <Line label="curl" text={curlLine(origin, serviceCall('GET', '/v2/balances', key))} />
        </>
      )}
      <h2>Documents decide the outcome</h2>
      <table class="small">
        <thead>
          <tr>
            <th scope="col">Document number</th>
            <th scope="col">What the bank answers</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(DOCUMENT_OUTCOMES).map(([number, { failure, method }]) => (
            <tr key={number}>
              <td>
                <code>{number}</code>
              </td>
              <td>
                {failure === null ? 'pending, confirmed later' : `failed: ${asWords(failure.reason)}`}
                {method !== undefined && ` (${asWords(method)})`}
              </td>
            </tr>
          ))}
          <tr>
            <td>any other</td>
            <td>confirmed</td>
          </tr>
        </tbody>
      </table>
      <ResetButton />
    </div>
  );
}

const RESET_QUESTION =
  'Reset deletes all operations, events, URLs, faults and keys but the first, and sets the clock back. A sandbox that was started with --seed goes back to that state. Reset the sandbox?';

export function ResetButton() {
  return <ButtonWithCommand label="Reset" tone="bad" command={RESET_COMMAND} question={RESET_QUESTION} />;
}
