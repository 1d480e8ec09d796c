import { useEffect, useState, type Dispatch, type StateUpdater } from 'preact/hooks';
import { methodsIn, type Bank, type CountryEntry } from '../../contract/catalog.js';
import { banksPath } from './answers.js';
import { controlCall, serviceCall, widestKey, type PageCommand } from './call.js';
import { bodyOf, createWords, directionOf, examplesOf, otherFields } from './catalog.js';
import type { CreateNoun, Field } from './catalog.js';
import { Card, Select, CompanySelect, EmptyText, Terminal, Text, TextInput } from './parts.js';
import type { InputProps } from './parts.js';
import { Button, EnterForm } from './doing.js';
import { asWords } from './format.js';
import { go } from './route.js';
import { companies, refusalOf, send, useControl } from './server.js';

export function NewView() {
  const owners = companies.value.filter(({ keys }) => keys.length > 0);
  const [companyIndex, setCompanyIndex] = useState(0);
  const key = widestKey(owners[companyIndex]);
  const [countries, setCountries] = useState<readonly CountryEntry[] | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  const read = (): void => {
    if (key === undefined) return;
    void send(controlCall('capabilities')).then((answer) => {
      setRefusal(refusalOf(answer));
      if (answer.status === 200) setCountries((answer.json as { countries: CountryEntry[] }).countries);
    });
  };
  useEffect(read, [key]);
  if (countries === null && refusal !== null)
    return (
      <div class="page">
        <p class="reason">The catalog could not be read: {refusal}</p>
        <p class="again">
          <button type="button" class="do" onClick={read}>
            Try again
          </button>
        </p>
      </div>
    );
  if (key === undefined || countries === null) return <EmptyText>The page is reading the catalog.</EmptyText>;
  return (
    <div class="page">
      <NewForm
        key={key}
        apiKey={key}
        countries={countries}
        companySelect={<CompanySelect owners={owners} value={companyIndex} set={setCompanyIndex} />}
      />
    </div>
  );
}

interface FormProps {
  readonly apiKey: string;
  readonly countries: readonly CountryEntry[];
  readonly companySelect: preact.ComponentChild;
}

type Values = Readonly<Record<string, string>>;

function NewForm({ apiKey, countries, companySelect }: FormProps) {
  const [noun, setNoun] = useState<CreateNoun>('payins');
  const [code, setCode] = useState(countries[0]?.code ?? '');
  const [methodCode, setMethodCode] = useState('');
  const [typedValues, setTypedValues] = useState<Values>({});
  const [amount, setAmount] = useState<string | null>(null);
  const [otherValues, setOtherValues] = useState<Values>({});
  const [idempotencyKey, setIdempotencyKey] = useState(() => crypto.randomUUID());
  const country = countries.find((one) => one.code === code);
  const methods = country === undefined ? [] : methodsIn(country, directionOf(noun));
  const method = methods.find((one) => one.code === methodCode) ?? methods[0];
  const banks = useControl(banksPath(code, method?.code ?? ''))?.banks ?? [];
  if (method === undefined) return <EmptyText>The catalog has no method for this.</EmptyText>;
  const values = { ...examplesOf(method), ...typedValues };
  const form = { noun, country: code, method, amount: amount ?? method.min_amount, values, otherValues };
  const call = serviceCall('POST', `/v2/${noun}`, apiKey, bodyOf(form));
  const command: PageCommand = {
    call: { ...call, headers: { 'Idempotency-Key': idempotencyKey } },
    words: createWords(form),
  };
  const inputsOf = (fields: readonly Field[], current: Values, setValues: Dispatch<StateUpdater<Values>>) =>
    fields.map((field) => (
      <FieldInput
        key={field.name}
        field={field}
        banks={banks}
        value={current[field.name] ?? ''}
        set={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
      />
    ));
  return (
    <div class="two">
      <Card id="new" title={`New ${noun === 'payins' ? 'pay-in' : 'payout'}`}>
        <EnterForm className="new">
          <div class="fields">
            {companySelect}
            <Select
              label="Direction"
              value={noun}
              options={['payins', 'payouts']}
              set={(value) => setNoun(value as CreateNoun)}
            />
            <Select label="Country" value={code} options={countries.map((one) => one.code)} set={setCode} />
            <Select
              label="Method"
              value={method.code}
              options={methods.map((one) => [one.code, asWords(one.code)] as const)}
              set={setMethodCode}
            />
            <TextInput
              label={`Amount in ${method.currency}`}
              inputMode="decimal"
              value={form.amount}
              set={setAmount}
              aria-describedby="bounds"
            >
              <span class="note" id="bounds">
                {method.min_amount}
                {method.max_amount !== null && ` to ${method.max_amount}`}
                {method.availability !== 'available' && `, ${asWords(method.availability)}`}
              </span>
            </TextInput>
            {inputsOf(method.fields, values, setTypedValues)}
            {inputsOf(otherFields(noun, method), otherValues, setOtherValues)}
          </div>
          <Button
            label="Create"
            tone="good"
            command={command}
            onDone={({ json }) => {
              setIdempotencyKey(crypto.randomUUID());
              go('operations', (json as { id: string }).id);
            }}
          />
        </EnterForm>
      </Card>
      <Card id="request" title={`POST ${call.path}`}>
        <Text text={call.body ?? ''} label="request body" />
        <Terminal command={command} isOpen />
      </Card>
    </div>
  );
}

interface FieldProps extends Omit<InputProps, 'label'> {
  readonly field: Field;
  readonly banks: readonly Bank[];
}

function FieldInput({ field, banks, value, set }: FieldProps) {
  const { name, required, enum: options, pattern } = field;
  const label = `${asWords(name.replace('.', ' '))}${required ? '' : ' (optional)'}`;
  const listId = `banks-${name}`;
  if (options !== undefined) {
    const choices = required ? options : [['', 'none'] as const, ...options];
    return <Select label={label} value={value} options={choices} set={set} />;
  }
  if (field.type === 'pairs')
    return (
      <label>
        {label}, a line of key=value each
        <textarea rows={2} value={value} onInput={({ currentTarget }) => set(currentTarget.value)} />
      </label>
    );
  const isBank = name === 'bank_code' && banks.length > 0;
  const isValid = value === '' || pattern === undefined || matches(value, pattern);
  return (
    <TextInput
      label={label}
      value={value}
      set={set}
      type={field.type === 'date' ? 'date' : 'text'}
      aria-invalid={!isValid}
      list={isBank ? listId : undefined}
    >
      {isBank && (
        <datalist id={listId}>
          {banks.map(({ code, name: bank }) => (
            <option key={code} value={code}>
              {bank}
            </option>
          ))}
        </datalist>
      )}
      {!isValid && <span class="note">not what the catalog asks for; you can send it anyway</span>}
    </TextInput>
  );
}

function matches(value: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return true;
  }
}
