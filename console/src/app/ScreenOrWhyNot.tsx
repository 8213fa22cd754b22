import { useState } from 'react';
import { Page } from '../components/Page.tsx';
import { SwitchedOff } from '../components/SwitchedOff.tsx';
import { useSwitchedOff } from './config.ts';
import type { Screen } from './screens.ts';

/** A screen; of what is switched off, what it is and the setting that switches it on. */
export function ScreenOrWhyNot({ screen }: { screen: Screen }) {
  const { title, setting } = screen;
  // React shows the content of a Suspense 300 ms after its fallback at the earliest: what is here already needs none.
  const [{ Component }] = useState(() => ({ Component: screen.loaded ?? screen.component }));
  const isOff = useSwitchedOff(setting) !== undefined;
  if (!setting || !isOff) return <Component />;
  return (
    <Page title={title}>
      <SwitchedOff setting={setting} />
    </Page>
  );
}
