import type { ReactNode } from 'react';
import { Button as AriaButton, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { useIdentity } from '../client/identity.ts';
import { useLiveState, type LiveState } from '../client/live.ts';
import { Button } from '../components/Button.tsx';
import { leave } from '../sign-in/leave.ts';
import { useConfig } from './config.ts';
import { useTheme } from './theme.ts';

const LIVE: Record<LiveState, string> = {
  ...{ connecting: 'Connecting', live: 'Live', reconnecting: 'Reconnecting' },
  refused: 'Not live for this sign-in',
};

export function TopBar({ children, onGoTo }: { children: ReactNode; onGoTo: () => void }) {
  const { tenant } = useIdentity();
  const live = useLiveState();
  return (
    <header className="top-bar">
      {children}
      <strong className="brand">svc</strong>
      <span className="tenant">{tenant}</span>
      <span className="live" data-state={live} role="status">
        {LIVE[live]}
      </span>
      <Button look="quiet" onPress={onGoTo} shortcut="Ctrl+K">
        Go to
      </Button>
      <AccountMenu />
    </header>
  );
}

function AccountMenu() {
  const identity = useIdentity();
  const label = identity.kind === 'session' ? `${identity.label}, ${identity.role}` : identity.label;
  const config = useConfig();
  const [theme, nextTheme] = useTheme();
  return (
    <MenuTrigger>
      <AriaButton className="button quiet account" aria-label={`Account: ${label}`}>
        <span className="account-label">{label}</span> <span aria-hidden="true">▾</span>
      </AriaButton>
      <Popover className="popover" placement="bottom end">
        <Menu className="list-box" aria-label={`Signed in as ${label}`}>
          <MenuItem onAction={nextTheme}>Colours: {theme}</MenuItem>
          <MenuItem onAction={() => void leave(config)}>Sign out</MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
