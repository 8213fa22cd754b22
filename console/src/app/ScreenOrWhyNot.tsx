import { useState } from 'react';
import { Page } from '../components/Page.tsx';
import { SwitchedOff } from '../components/SwitchedOff.tsx';
import { NoRight } from '../components/WithRight.tsx';
import { useSwitchedOff } from './config.ts';
import { useWhyNoScreen, type Screen } from './screens.ts';

/** A screen; of what is switched off, the setting that switches it on, and without the right to it, why. */
export function ScreenOrWhyNot({ screen }: { screen: Screen }) {
  const { title, setting } = screen;
  // React shows the content of a Suspense 300 ms after its fallback at the earliest: what is here already needs none.
  const [{ Component }] = useState(() => ({ Component: screen.loaded ?? screen.component }));
  const isOff = useSwitchedOff(setting) !== undefined;
  const why = useWhyNoScreen(screen);
  if (setting && isOff)
    return (
      <Page title={title}>
        <SwitchedOff setting={setting} />
      </Page>
    );
  if (why === undefined) return <Component />;
  return (
    <Page title={title}>
      <NoRight what={title} why={why} />
    </Page>
  );
}
