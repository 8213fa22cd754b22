import { QueryClientProvider } from '@tanstack/react-query';
import { Suspense, useEffect } from 'react';
import { Route, Router, Switch } from 'wouter';
import { nameOf, useIdentityState, type Identity } from '../client/identity.ts';
import { followEvents } from '../client/live.ts';
import { queryClient } from '../client/query-client.ts';
import { Loading } from '../components/states.tsx';
import { Toasts } from '../components/toasts.tsx';
import type { ConsoleConfig } from '../sign-in/console-config.ts';
import { SignInAgain } from '../sign-in/SignInAgain.tsx';
import { SignInPage } from '../sign-in/SignInPage.tsx';
import { ConfigContext } from './config.ts';
import { hashOf, useEncodedHash } from './encoded-hash.ts';
import { Frame } from './Frame.tsx';
import { NotFound } from './NotFound.tsx';
import { ScreenBoundary } from './ScreenBoundary.tsx';
import { SCREENS, screenKey } from './screens.ts';
import { ScreenOrWhyNot } from './ScreenOrWhyNot.tsx';

export function App({ config }: { config: ConsoleConfig }) {
  return (
    // What fails around a screen, or while one is left, is not within its own boundary.
    <ScreenBoundary title="The console failed">
      <ConfigContext value={config}>
        <QueryClientProvider client={queryClient}>
          <Router hook={useEncodedHash} hrefs={hashOf}>
            <Content />
          </Router>
          <Toasts />
        </QueryClientProvider>
      </ConfigContext>
    </ScreenBoundary>
  );
}

function Content() {
  const state = useIdentityState();
  if (state.state === 'unknown') return <Loading label="Finding out who you are" />;
  if (state.state === 'signed-out') return <SignInPage {...(state.reason ? { reason: state.reason } : {})} />;
  return (
    <>
      <SignedIn key={nameOf(state.identity)} identity={state.identity} />
      {state.state === 'ended' && <SignInAgain reason={state.reason} tenant={state.identity.tenant} />}
    </>
  );
}

function SignedIn({ identity }: { identity: Identity }) {
  useEffect(() => followEvents(identity), [identity]);
  return (
    <Frame>
      <Switch>
        {SCREENS.map((screen) => (
          <Route key={screen.path} path={`${screen.path}${screen.selection ?? ''}`}>
            {(params) => (
              <ScreenBoundary key={screenKey(screen, params)}>
                <Suspense fallback={<Loading rows={6} />}>
                  <ScreenOrWhyNot screen={screen} />
                </Suspense>
              </ScreenBoundary>
            )}
          </Route>
        ))}
        <Route component={NotFound} />
      </Switch>
    </Frame>
  );
}
