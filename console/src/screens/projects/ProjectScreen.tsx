import { Link, useLocation, useParams } from 'wouter';
import { decoded } from '../../client/parameters.ts';
import { Page } from '../../components/Page.tsx';
import { Tabs } from '../../components/Tabs.tsx';
import { ContextGraphTable } from './ContextGraphTable.tsx';
import { Dossiers } from './Dossiers.tsx';
import { EffectiveLayersPart } from './EffectiveLayersPart.tsx';
import { ProjectLinks } from './ProjectLinks.tsx';
import { StorybookPart } from './StorybookPart.tsx';
import './projects.css';

/** One project, each part of it at an address of its own. */
export default function ProjectScreen() {
  const params = useParams<{ id: string; part?: string }>();
  const [, navigate] = useLocation();
  const id = decoded(params.id);
  return (
    <Page title={`Project ${id}`} description={<Link href="/projects">All projects</Link>}>
      <Tabs
        label="Project"
        selected={params.part ?? 'links'}
        onSelect={(part) =>
          part !== (params.part ?? 'links') && navigate(`/projects/${encodeURIComponent(id)}/${part}`)
        }
        tabs={[
          { id: 'links', title: 'Links and planes', content: () => <ProjectLinks id={id} /> },
          { id: 'layers', title: 'Layers', content: () => <EffectiveLayersPart id={id} /> },
          { id: 'context', title: 'Context', content: () => <ContextGraphTable id={id} /> },
          { id: 'storybook', title: 'Storybook', content: () => <StorybookPart id={id} /> },
          { id: 'dossiers', title: 'Dossiers', content: () => <Dossiers id={id} /> },
        ]}
      />
    </Page>
  );
}
