import { Page, Section } from '../../components/Page.tsx';
import { CostPart } from './CostPart.tsx';
import { CreditsPart } from './CreditsPart.tsx';
import { QuotaPart } from './QuotaPart.tsx';

/** Tokens, money where there are prices, credits of agents, and what is left of quotas. */
export default function UsageScreen() {
  return (
    <Page title="Usage" description="What models used by day, what agents spent, and what is left of quotas.">
      <Section title="Models">
        <CostPart />
      </Section>
      <Section title="Credits of an agent">
        <CreditsPart />
      </Section>
      <Section title="Quota left">
        <QuotaPart />
      </Section>
    </Page>
  );
}
