import { useConfig } from '../../app/config.ts';
import { useAnswer } from '../../client/queries.ts';
import { Section } from '../../components/Page.tsx';
import { Answer } from '../../components/states.tsx';
import { readOperatorVersion } from '../../generated/daemon/sdk.gen.ts';

/** What is off, with the setting that turns it on; the flags that are on. */
export function FeaturesSection() {
  const { switched_off, auth_mode, is_session_accepted } = useConfig();
  const version = useAnswer(['version'], () => readOperatorVersion());
  return (
    <Section title="Switched off">
      {switched_off.length === 0 ? (
        <p className="quiet">Nothing: every feature is on.</p>
      ) : (
        <ul className="plain-list">
          {switched_off.map(({ feature, setting }) => (
            <li key={`${setting} ${feature}`}>
              {feature} <code className="quiet">{setting}</code>
            </li>
          ))}
        </ul>
      )}
      <p className="quiet">Set a setting and start the daemon again; docs/env.md says what each does.</p>
      <h3>Switched on</h3>
      <Answer query={version} rows={1}>
        {({ flags }) => (
          <p className="mono">
            {flags
              .filter(({ on }) => on)
              .map(({ name }) => name)
              .join(', ')}
          </p>
        )}
      </Answer>
      <p className="quiet">
        Requests are authenticated by SVCD_AUTH_MODE={auth_mode}; sessions of the tenant API are{' '}
        {is_session_accepted ? 'accepted' : 'not accepted'}.
      </p>
    </Section>
  );
}
