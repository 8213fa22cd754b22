import { Link, useLocation } from 'wouter';
import { useHasSession } from '../client/identity.ts';
import { useSwitchedOff } from './config.ts';
import { GROUPS, SCREENS, type Screen } from './screens.ts';

/** All screens by what they are for. What is switched off stays, and says so. */
export function Navigation({ isOpen }: { isOpen: boolean }) {
  return (
    <nav className={`navigation ${isOpen ? 'open' : ''}`} aria-label="Screens">
      {GROUPS.map((group) => {
        const screens = SCREENS.filter((screen) => screen.group === group);
        return (
          screens.length > 0 && (
            <section key={group} aria-label={group}>
              <h2>{group}</h2>
              <ul>
                {screens.map((screen) => (
                  <NavigationEntry key={screen.path} screen={screen} />
                ))}
              </ul>
            </section>
          )
        );
      })}
    </nav>
  );
}

function NavigationEntry({ screen: { path, title, setting, needsSession } }: { screen: Screen }) {
  const [location] = useLocation();
  const hasSession = useHasSession();
  const isCurrent = path === '/' ? location === '/' : location === path || location.startsWith(`${path}/`);
  const isOff = useSwitchedOff(setting) !== undefined;
  const remark = isOff ? `off: ${setting}` : needsSession && !hasSession ? 'needs a session' : undefined;
  return (
    <li>
      <Link href={path} aria-current={isCurrent ? 'page' : undefined} title={remark}>
        <span>{title}</span>
        {remark && <small>{isOff ? 'off' : 'sign in'}</small>}
      </Link>
    </li>
  );
}
