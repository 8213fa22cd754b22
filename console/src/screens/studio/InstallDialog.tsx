import { useState } from 'react';
import { useAnswer, useChange } from '../../client/queries.ts';
import { CheckboxField, SelectField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/FormDialog.tsx';
import { Answer } from '../../components/states.tsx';
import { announce } from '../../components/toasts.tsx';
import { installStudioPackage, listProjects } from '../../generated/daemon/sdk.gen.ts';
import type { LibraryPackage, PackageInstalled } from '../../generated/daemon/types.gen.ts';

interface Plan {
  id: string;
  digest: string;
  project: string;
}

/** The digest that the reader sees is the one that is installed. */
const install = ({ id, digest, project }: Plan, more: { dry_run: true } | { replace: boolean }) =>
  installStudioPackage({ path: { id }, body: { digest, ...(project ? { project_id: project } : {}), ...more } });

/** Says what an install would do to each item, and does it. */
export function InstallDialog({ one, onClose }: { one: LibraryPackage; onClose: () => void }) {
  const [project, setProject] = useState('');
  const [replace, setReplace] = useState(false);
  const needsProject = one.layers.length > 0;
  const isReady = !needsProject || project !== '';
  const plan = { id: one.id, digest: one.digest, project };
  const run = useChange(() => install(plan, { replace }), ['studio', 'engrams', 'entities', 'layers', 'receipts']);
  const send = () =>
    run.mutate(undefined, {
      onSuccess: ({ changed, items }) => {
        onClose();
        announce(changed ? `${one.title} is installed: ${items.length} items.` : `${one.title} changed nothing.`);
      },
    });
  return (
    <FormDialog
      title={`Install ${one.title}`}
      isOpen
      onClose={onClose}
      isWide
      submit="Install"
      onSubmit={send}
      isReady={isReady}
      isPending={run.isPending}
      failure={run.error}
    >
      {needsProject && <ChooseProject value={project} onChange={setProject} />}
      {isReady && <Preview plan={plan} />}
      <CheckboxField
        label="Overwrite what the tenant has of its own, or has changed, under these names"
        isSelected={replace}
        onChange={setReplace}
      />
    </FormDialog>
  );
}

const MOST = 200;

function ChooseProject({ value, onChange }: { value: string; onChange: (project: string) => void }) {
  const projects = useAnswer(['projects', 'choices'], () => listProjects({ query: { limit: MOST } }));
  return (
    <Answer query={projects} rows={1}>
      {({ projects: found }) =>
        found.length === 0 ? (
          <p>Its layers go into a project, and there is none. POST /v1/projects makes one.</p>
        ) : (
          <SelectField
            label="Project of its layers"
            value={value}
            onChange={onChange}
            choices={found.map(({ id, name }) => ({ value: id, label: name }))}
          />
        )
      }
    </Answer>
  );
}

const ACTIONS: Record<PackageInstalled['items'][number]['action'], string> = {
  create: 'new',
  update: 'to its new content',
  replace: 'overwritten',
  unchanged: 'as it is',
  conflict: 'the tenant has other content there',
};

function Preview({ plan }: { plan: Plan }) {
  const preview = useAnswer(['studio', 'preview', plan], () => install(plan, { dry_run: true }));
  return (
    <Answer query={preview} rows={2}>
      {({ items }) => (
        <ul className="plain-list">
          {items.map(({ type, name, action }) => (
            <li key={`${type} ${name}`}>
              {type} <code>{name}</code>: {ACTIONS[action]}
            </li>
          ))}
        </ul>
      )}
    </Answer>
  );
}
