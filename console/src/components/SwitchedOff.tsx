import { useSwitchedOff } from '../app/config.ts';
import { Empty } from './states.tsx';

/** In the place of what a setting switches off: what that is, and how it is switched on. */
export function SwitchedOff({ setting }: { setting: string }) {
  const { about, value } = useSwitchedOff(setting) ?? {};
  return (
    <Empty title="This is switched off">
      {about} Set{' '}
      <code>
        {setting}={value}
      </code>{' '}
      and start the daemon again.
    </Empty>
  );
}
