import { useAnswer } from '../../client/queries.ts';
import { Section } from '../../components/Page.tsx';
import { Answer } from '../../components/states.tsx';
import { readOnboarding } from '../../generated/daemon/sdk.gen.ts';

/** What to do with an empty store, as the daemon advises. */
export function FirstSteps() {
  const onboarding = useAnswer(['onboarding'], () => readOnboarding());
  return (
    <Section title="First steps">
      <Answer query={onboarding}>
        {({ steps }) => (
          <ol className="steps">
            {steps.map(({ id, title, how, docs }) => (
              <li key={id}>
                {title}: <code>{how}</code> <span className="quiet">({docs})</span>
              </li>
            ))}
          </ol>
        )}
      </Answer>
    </Section>
  );
}
