import { useEffect, useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useIdentity } from '../client/identity.ts';
import { Button } from '../components/Button.tsx';
import { useConfig } from './config.ts';
import { GoToDialog } from './GoToDialog.tsx';
import { Navigation } from './Navigation.tsx';
import { TopBar } from './TopBar.tsx';

/** What stands around every screen. */
export function Frame({ children }: { children: ReactNode }) {
  const [path] = useLocation();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [isGoToOpen, setGoToOpen] = useState(false);
  useEffect(() => setMenuOpen(false), [path]);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key === 'k') {
        event.preventDefault();
        setGoToOpen(true);
      }
      if (event.key === 'Escape') setMenuOpen(false);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return (
    <div className="frame">
      <a
        className="skip-link"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          document.querySelector<HTMLElement>('h1')?.focus();
        }}
      >
        Skip to the content
      </a>
      <TopBar onGoTo={() => setGoToOpen(true)}>
        <span className="menu-button">
          <Button look="quiet" aria-expanded={isMenuOpen} onPress={() => setMenuOpen(!isMenuOpen)} aria-label="Menu">
            ☰
          </Button>
        </span>
      </TopBar>
      <Navigation isOpen={isMenuOpen} />
      <main id="content">
        <ModeBanner />
        {children}
      </main>
      <GoToDialog isOpen={isGoToOpen} onClose={() => setGoToOpen(false)} />
    </div>
  );
}

/** Says what an open mode means, on every screen. */
function ModeBanner() {
  const { kind } = useIdentity();
  const { auth_mode } = useConfig();
  if (kind !== 'dev_scopes' && kind !== 'off') return null;
  return (
    <p className="mode-banner" role="note">
      <strong>No sign-in is needed here:</strong> SVCD_AUTH_MODE={auth_mode} lets everybody who reaches this daemon do
      everything. Set SVCD_AUTH_MODE=jwt_hs256 or jwt_jwks before others can reach it.
    </p>
  );
}
