import { answerOf } from '../../client/answer.ts';
import { RequestFailure } from '../../client/request-failure.ts';
import { Button } from '../../components/Button.tsx';
import { saveJson } from '../../components/save-json.ts';
import { announce, announceFailure } from '../../components/toasts.tsx';
import { exportSession } from '../../generated/daemon/sdk.gen.ts';

type Format = 'json' | 'otlp-json' | 'ocsf';

const FORMATS: [format: Format, label: string, about: string][] = [
  [
    'json',
    'Steps with receipts',
    'All steps, each receipt as it is stored, and the rules: whoever verifies needs this.',
  ],
  ['otlp-json', 'OpenTelemetry', 'Spans for POST /v1/traces of a collector.'],
  ['ocsf', 'OCSF', 'Events of the class API Activity, for a SIEM.'],
];

/** In the name of the file, before what all of them end in. */
const PARTS: Record<Format, string> = { json: '', 'otlp-json': '.otlp', ocsf: '.ocsf' };

/** The session as a file. */
export function SessionExports({ session }: { session: string }) {
  return (
    <ul className="plain-list">
      {FORMATS.map(([format, label, about]) => (
        <li key={format} className="row">
          <Button onPress={() => void save(session, format)}>{label}</Button>
          <span className="quiet">{about}</span>
        </li>
      ))}
    </ul>
  );
}

async function save(session: string, format: Format): Promise<void> {
  try {
    const found = await answerOf<unknown>(exportSession({ path: { id: session }, query: { format } }));
    announce(`Saved ${saveJson(`session-${session}${PARTS[format]}`, found)}.`);
  } catch (failure) {
    if (!(failure instanceof RequestFailure)) throw failure;
    announceFailure(failure);
  }
}
