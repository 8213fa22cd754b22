import './settings.css';
import { Page } from '../../components/Page.tsx';
import { WithRight } from '../../components/WithRight.tsx';
import { EmbeddingSection } from './EmbeddingSection.tsx';
import { FeaturesSection } from './FeaturesSection.tsx';
import { GatesSection } from './GatesSection.tsx';
import { InfraSection } from './InfraSection.tsx';
import { JobsSection } from './JobsSection.tsx';
import { RestartButton } from './RestartButton.tsx';
import { VersionSection } from './VersionSection.tsx';

/** How the daemon is, and why it is not ready: all that can be seen without its machine. */
export default function SettingsScreen() {
  return (
    <Page
      title="Daemon"
      description="Whether it is ready, and where not, why. Read every 5 seconds."
      actions={<RestartButton />}
    >
      <GatesSection />
      <WithRight
        right="oversee"
        what="Process, database, version and features"
        instead={
          <>
            <JobsSection />
            <EmbeddingSection />
          </>
        }
      >
        <div className="columns">
          <InfraSection />
          <VersionSection />
        </div>
        <JobsSection />
        <div className="columns">
          <FeaturesSection />
          <EmbeddingSection />
        </div>
      </WithRight>
    </Page>
  );
}
