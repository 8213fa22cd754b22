import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/App.tsx';
import { screenAt } from './app/screens.ts';
import { configureClients } from './client/clients.ts';
import { signOut } from './client/identity.ts';
import { begin } from './sign-in/begin.ts';
import { readConsoleConfig } from './sign-in/console-config.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/components.css';
import './styles/frame.css';

const RETRY_MS = 2_000;
const root = createRoot(document.getElementById('root')!);

async function open(): Promise<void> {
  configureClients();
  const [config] = await Promise.all([readConsoleConfig(), preloadScreen()]);
  root.render(
    <StrictMode>
      <App config={config} />
    </StrictMode>,
  );
  try {
    await begin(config);
  } catch (error) {
    signOut(`Signing in failed: ${(error as Error).message}`);
  }
}

/** The screen of the address, while the daemon is asked who is signed in. What fails here fails where it is shown. */
async function preloadScreen(): Promise<void> {
  await screenAt(location.hash.slice(1) || '/')
    ?.load()
    .catch(() => undefined);
}

/** Until the daemon answers. */
async function start(): Promise<void> {
  try {
    await open();
  } catch {
    root.render(
      <main className="sign-in">
        <h1>svc console</h1>
        <div className="notice bad" role="alert">
          The daemon does not answer. This page tries again by itself.
        </div>
      </main>,
    );
    setTimeout(() => void start(), RETRY_MS);
  }
}

void start();
