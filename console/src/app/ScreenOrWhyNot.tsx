import { Page } from '../components/Page.tsx';
import { SwitchedOff } from '../components/SwitchedOff.tsx';
import { useSwitchedOff } from './config.ts';
import type { Screen } from './screens.ts';

/** A screen; of what is switched off, what it is and the setting that switches it on. */
export function ScreenOrWhyNot({ screen: { title, setting, component: Component } }: { screen: Screen }) {
  const isOff = useSwitchedOff(setting) !== undefined;
  if (!setting || !isOff) return <Component />;
  return (
    <Page title={title}>
      <SwitchedOff setting={setting} />
    </Page>
  );
}
