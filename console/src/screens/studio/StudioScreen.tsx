import { useState } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { Details } from '../../components/Details.tsx';
import { Page, Section } from '../../components/Page.tsx';
import { Answer, Empty } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { listStudioLibrary } from '../../generated/daemon/sdk.gen.ts';
import type { LibraryPackage } from '../../generated/daemon/types.gen.ts';
import { InstallDialog } from './InstallDialog.tsx';

/** Packages of engrams, kinds and layers. */
export default function StudioScreen() {
  const library = useAnswer(['studio'], () => listStudioLibrary());
  return (
    <Page title="Studio" description="Packages of engrams, kinds and layers that a tenant can install.">
      <Answer query={library} rows={8}>
        {({ packages, warnings }) => (
          <>
            {packages.length === 0 && <Empty title="No packages">SVCD_STUDIO_DIR names a folder of them.</Empty>}
            {packages.map((one) => (
              <Package key={one.id} one={one} />
            ))}
            {warnings.map(({ path, problem }) => (
              <p key={path}>
                <Badge tone="warn">no package</Badge> <code>{path}</code> {problem}
              </p>
            ))}
          </>
        )}
      </Answer>
    </Page>
  );
}

function Package({ one }: { one: LibraryPackage }) {
  const [isInstalling, setInstalling] = useState(false);
  const isInstalled = one.installed.length > 0;
  return (
    <Section
      title={one.title}
      actions={
        <>
          {isInstalled && <Badge tone={one.update_available ? 'warn' : 'good'}>installed</Badge>}
          {(one.layers.length > 0 || !isInstalled || one.update_available) && (
            <Button right="oversee" onPress={() => setInstalling(true)}>
              {one.update_available ? 'Update' : 'Install'}
            </Button>
          )}
        </>
      }
    >
      <p>{one.description}</p>
      <Details
        items={[
          ['Version', `${one.version}, from ${one.source === 'svc' ? 'svc' : 'SVCD_STUDIO_DIR'}`],
          ['Engrams', one.engrams.join(', ')],
          ['Kinds', one.kinds.join(', ')],
          ['Layers', one.layers.join(', ')],
        ]}
      />
      <ul className="plain-list">
        {one.installed.map(({ project_id, version, installed_at, installed_by }) => (
          <li key={project_id ?? ''} className="quiet">
            {version} {project_id ? <>in {project_id}</> : 'for the tenant'}, <Time at={installed_at} /> by{' '}
            {installed_by}
          </li>
        ))}
      </ul>
      {isInstalling && <InstallDialog one={one} onClose={() => setInstalling(false)} />}
    </Section>
  );
}
