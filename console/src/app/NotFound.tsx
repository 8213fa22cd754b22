import { useLocation } from 'wouter';
import { LinkButton } from '../components/Button.tsx';
import { Page } from '../components/Page.tsx';

export function NotFound() {
  const [path] = useLocation();
  return (
    <Page title="No such screen" description={<>The console has nothing at {path}.</>}>
      <div>
        <LinkButton to="/">Go to the overview</LinkButton>
      </div>
    </Page>
  );
}
