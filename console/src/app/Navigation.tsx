import { Link, useLocation } from 'wouter';
import { useHasSession } from '../client/identity.ts';
import { useSwitchedOff } from './config.ts';
import { GROUPS, SCREENS, useWhyNoScreen, type Screen } from './screens.ts';

/** All screens by what they are for. What is switched off or not for this sign-in stays, and says so. */
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

function NavigationEntry({ screen }: { screen: Screen }) {
  const { path, title } = screen;
  const [location] = useLocation();
  const isCurrent = path === '/' ? location === '/' : location === path || location.startsWith(`${path}/`);
  const { mark, about } = useRemark(screen);
  return (
    <li>
      <Link href={path} aria-current={isCurrent ? 'page' : undefined} title={about}>
        <span>{title}</span>
        {mark && <small>{mark}</small>}
      </Link>
    </li>
  );
}

/** Why a screen will show nothing. */
function useRemark(screen: Screen): { mark?: string; about?: string } {
  const { setting, needsSession } = screen;
  const hasSession = useHasSession();
  const isOff = useSwitchedOff(setting) !== undefined;
  const why = useWhyNoScreen(screen);
  if (isOff) return { mark: 'off', about: `off: ${setting}` };
  if (needsSession && !hasSession) return { mark: 'sign in', about: 'needs a session' };
  return why === undefined ? {} : { mark: 'no right', about: why };
}
