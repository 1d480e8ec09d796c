import { useRef } from 'preact/hooks';
import { controlCall, svcCommandLine, type PageCommand } from './call.js';
import { askQuestion, carryOut } from './doing.js';
import { Card, Line, Terminal } from './parts.js';
import { origin } from './server.js';
import { ResetButton } from './start.js';

const EXPORT_COMMAND: PageCommand = { call: controlCall('state'), words: ['sandbox', 'export'] };
const IMPORT_COMMAND: PageCommand = {
  call: { method: 'PUT', path: '/_control/state' },
  words: ['sandbox', 'import', 'state.json'],
};
const IMPORT_QUESTION = 'The file replaces everything in the sandbox, its keys too. Import it?';

export function StateView() {
  return (
    <div class="page">
      <Card id="export" title="Export">
        <p class="note">
          The whole sandbox as one JSON file. It holds keys and secrets: keep it as you keep a key.
        </p>
        <p class="again">
          <a class="do" href={EXPORT_COMMAND.call.path} download="state.json">
            Export
          </a>
        </p>
        <Terminal command={EXPORT_COMMAND} />
      </Card>
      <Card id="import" title="Import">
        <p class="note">
          A file that was exported takes the place of everything, or of nothing if it is wrong.
        </p>
        <ImportInput />
        <Line label="svc" text={svcCommandLine(origin, IMPORT_COMMAND)} />
      </Card>
      <Card id="reset" title="Reset">
        <p class="note">The sandbox goes back to its beginning.</p>
        <ResetButton />
      </Card>
    </div>
  );
}

function ImportInput() {
  const input = useRef<HTMLInputElement>(null);
  const importFile = async (file: File): Promise<void> => {
    const body = await file.text();
    if (await askQuestion('Import', IMPORT_QUESTION))
      await carryOut('Import', { ...IMPORT_COMMAND, call: { ...IMPORT_COMMAND.call, body } });
    // The input is emptied, so that it notices when the same file is chosen again.
    if (input.current !== null) input.current.value = '';
  };
  return (
    <div class="fields">
      <label>
        State file
        <input
          ref={input}
          type="file"
          accept=".json,application/json"
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file !== undefined) void importFile(file);
          }}
        />
      </label>
    </div>
  );
}
