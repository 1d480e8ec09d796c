/** One operation: where it stands, what can happen to it, its life, its JSON. */
import { actionsFor } from './actions.js';
import { ActionRow } from './doing.js';
import { asWords } from './format.js';
import { Life } from './life.js';
import { Copy, Fact, StateMark, StatusMark, Text, Time } from './parts.js';
import { operationPath } from './paths.js';
import { companies, rightCode, useControl } from './server.js';
import { Closely } from './split.js';
import type { Listed } from './types.js';
import { waitingFor } from './waiting.js';

export function OperationView({ id }: { readonly id: string }) {
  const listed = useControl(operationPath(id), 'operations', 'deliveries', 'requests');
  return (
    <Closely
      label="Operation"
      view="operations"
      data={listed}
      none="No operation has this id"
      show={(found) => <Known listed={found} />}
    />
  );
}

function Known({ listed }: { readonly listed: Listed }) {
  const { operation, company, environment } = listed;
  const actions = actionsFor(listed, { companies: companies.value, code: rightCode.value });
  return (
    <>
      <header class="title">
        <h2>
          {operation.amount} {operation.currency}
        </h2>
        <StatusMark status={operation.status} />
      </header>
      <dl class="facts">
        <Fact name="Kind">
          {operation.type}, {asWords(operation.method)}, {operation.country}
        </Fact>
        {operation.reference !== undefined && <Fact name="Reference">{operation.reference}</Fact>}
        <Fact name="Id">
          <code>{operation.id}</code> <Copy text={operation.id} label="id" />
        </Fact>
        <Fact name="Company">{environment === 'live' ? `${company}, live` : company}</Fact>
        <Fact name="Created">
          <Time iso={operation.created_at} />
        </Fact>
        {operation.failure !== null && (
          <Fact name="Failure">
            <StateMark tone="bad">
              {operation.failure.code} / {operation.failure.reason}
            </StateMark>
          </Fact>
        )}
        {listed.waits_for !== null && <Fact name="Waiting">{waitingFor(listed)}</Fact>}
      </dl>
      {actions.length > 0 && (
        <section aria-labelledby="actions">
          <h3 id="actions">What can happen now</h3>
          <ul class="actions">
            {actions.map((action) => (
              <ActionRow key={action.label} action={action} />
            ))}
          </ul>
        </section>
      )}
      <Life listed={listed} />
      <section>
        <h3>JSON</h3>
        <Text text={JSON.stringify(operation)} label="operation as JSON" />
      </section>
    </>
  );
}
