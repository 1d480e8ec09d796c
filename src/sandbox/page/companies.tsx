import { useState } from 'preact/hooks';
import { groupDigits } from '../../contract/on-screen.js';
import { ENVIRONMENTS, SCOPES } from '../../contract/access.js';
import { controlCall, environmentFor, type PageCommand } from './call.js';
import { Card, Select, CopyButton, EmptyText, TextInput, Terminal, type InputProps } from './parts.js';
import { Button, EnterForm } from './doing.js';
import { COMPANIES_PATH, type CompanyJson } from './answers.js';
import { origin, useControl } from './server.js';

export function CompaniesView() {
  const answer = useControl(COMPANIES_PATH, 'operations', 'companies');
  return (
    <div class="page">
      {answer?.companies.map((company) => (
        <CompanyCard key={`${company.environment} ${company.name}`} company={company} />
      ))}
      <KeyForm />
    </div>
  );
}

function CompanyCard({ company }: { readonly company: CompanyJson }) {
  const { name, environment, balances, keys } = company;
  return (
    <Card
      id={`${environment} ${name}`}
      title={
        <>
          {name} <span class="sub">{environment}</span>
        </>
      }
    >
      {balances.length === 0 ? (
        <EmptyText>No balance yet.</EmptyText>
      ) : (
        <table class="small">
          <thead>
            <tr>
              <th scope="col">Currency</th>
              <th scope="col" class="number">
                Available
              </th>
              <th scope="col" class="number">
                Reserved
              </th>
            </tr>
          </thead>
          <tbody>
            {balances.map(({ currency, available, reserved }) => (
              <tr key={currency}>
                <td>{currency}</td>
                <td class="number">{groupDigits(available)}</td>
                <td class="number">{groupDigits(reserved)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <h3>Keys</h3>
      <ul class="plain">
        {keys.map((key) => (
          <KeyRow key={key.api_key} {...key} />
        ))}
      </ul>
    </Card>
  );
}

function KeyRow({ api_key: key, scopes, created_by: creator }: CompanyJson['keys'][number]) {
  const env = Object.entries(environmentFor(origin, key));
  return (
    <li>
      <span>
        <code class="main">{key}</code>
        <span class="sub">
          {scopes.length === SCOPES.length ? 'every scope' : scopes.join(', ')}
          {creator === 'operator' && ', made by an operator'}
        </span>
      </span>
      <span class="buttons">
        <CopyButton text={key} label="key" />
        <CopyButton
          text={`${env.map(([name, text]) => `${name}=${text}`).join('\n')}\n`}
          label=".env"
          buttonText="Copy .env"
        />
      </span>
    </li>
  );
}

function KeyForm() {
  const [company, setCompany] = useState('acme');
  const [environment, setEnvironment] = useState<string>('sandbox');
  const [scopes, setScopes] = useState<readonly string[]>(SCOPES);
  const [isOperator, setOperator] = useState(false);
  const command: PageCommand = {
    call: controlCall('keys', {
      company,
      environment,
      scopes,
      ...(isOperator && { created_by: 'operator' }),
    }),
    words: [
      ...['sandbox', 'key', `--company=${company}`, '--environment', environment],
      ...(scopes.length === SCOPES.length ? [] : scopes.flatMap((scope) => ['--scope', scope])),
      ...(isOperator ? ['--operator'] : []),
    ],
  };
  return (
    <Card id="make" title="Make a key">
      <EnterForm className="fields">
        <TextInput label="Company" value={company} set={setCompany} />
        <Select label="Environment" value={environment} options={ENVIRONMENTS} set={setEnvironment} />
        <Button label="Make" tone="good" command={command} />
      </EnterForm>
      <fieldset>
        <legend>Scopes</legend>
        {SCOPES.map((scope) => (
          <Checkbox
            key={scope}
            label={scope}
            value={scopes.includes(scope)}
            set={(isOn) => setScopes(SCOPES.filter((one) => (one === scope ? isOn : scopes.includes(one))))}
          />
        ))}
        <Checkbox label="made by an operator" value={isOperator} set={setOperator} />
      </fieldset>
      <Terminal command={command} />
    </Card>
  );
}

const Checkbox = ({ label, value, set }: InputProps<boolean>) => (
  <label class="check">
    <input type="checkbox" checked={value} onChange={({ currentTarget }) => set(currentTarget.checked)} />
    {label}
  </label>
);
