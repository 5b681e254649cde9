//! The agents' clients, and who may come in over HTTP: parse, one call, one conversion.

use gate_api::subjects::connections::{
    Browsers, Clients, ConnectClient, CreateToken, DisconnectClient, Handler, HeardClients, ListBrowsers, ListClients,
    ListHeardClients, ListTokens, MakeLink, NewToken, PreviewClient, RevokeToken, RotateToken, SignInLink, SignOut,
    SignOutBrowser, Tokens,
};
use gate_api::{ClientPreview, Done, Origin};
use gate_clients::Options;
use gate_core::Fault;

use super::{Which, Wish, named_toolsets};
use crate::slices::Gate;

impl Handler for Gate {
    async fn clients(&self, ListClients { project }: ListClients, _: Origin) -> Result<Clients, Fault> {
        self.inner.connections.clients(project).await
    }

    async fn preview_client(&self, asked: PreviewClient, _: Origin) -> Result<ClientPreview, Fault> {
        let PreviewClient { client, scope, connect, rules, take_over, allow, questions, toolsets, project } = asked;
        let toolsets = named_toolsets(&toolsets)?;
        let wish = match connect {
            true => Wish::Connect(Options { rules, take_over, allow, questions, toolsets }),
            false => Wish::out(questions),
        };
        self.inner.connections.preview_client(Which { client, scope, project }, wish).await
    }

    async fn connect_client(&self, asked: ConnectClient, _: Origin) -> Result<Clients, Fault> {
        let ConnectClient { client, scope, rules, take_over, allow, questions, toolsets, project } = asked;
        let toolsets = named_toolsets(&toolsets)?;
        let wish = Wish::Connect(Options { rules, take_over, allow, questions, toolsets });
        self.inner.connections.change_client(Which { client, scope, project }, wish).await
    }

    async fn disconnect_client(&self, asked: DisconnectClient, _: Origin) -> Result<Clients, Fault> {
        let DisconnectClient { client, scope, questions, project } = asked;
        self.inner.connections.change_client(Which { client, scope, project }, Wish::out(questions)).await
    }

    async fn heard_clients(&self, _: ListHeardClients, _: Origin) -> Result<HeardClients, Fault> {
        Ok(HeardClients { clients: self.inner.connections.heard_clients().await? })
    }

    async fn create_token(&self, asked: CreateToken, _: Origin) -> Result<NewToken, Fault> {
        Ok(NewToken { token: self.inner.connections.create_token(asked).await? })
    }

    async fn rotate_token(&self, _: RotateToken, _: Origin) -> Result<NewToken, Fault> {
        Ok(NewToken { token: self.inner.connections.rotate_token().await? })
    }

    async fn revoke_token(&self, RevokeToken { name }: RevokeToken, _: Origin) -> Result<Done, Fault> {
        self.inner.connections.revoke_token(&name).await?;
        Ok(Done {})
    }

    async fn tokens(&self, _: ListTokens, _: Origin) -> Result<Tokens, Fault> {
        Ok(Tokens { tokens: self.inner.connections.tokens().await? })
    }

    async fn link(&self, _: MakeLink, origin: Origin) -> Result<SignInLink, Fault> {
        let (url, expires_at) = self.inner.connections.new_link(origin)?;
        Ok(SignInLink { url, expires_at })
    }

    async fn browsers(&self, _: ListBrowsers, _: Origin) -> Result<Browsers, Fault> {
        Ok(Browsers { browsers: self.inner.connections.browsers() })
    }

    async fn sign_out_browser(&self, asked: SignOutBrowser, origin: Origin) -> Result<Done, Fault> {
        self.inner.connections.sign_out_browser(asked.browser, origin).await?;
        Ok(Done {})
    }

    async fn sign_out(&self, _: SignOut, origin: Origin) -> Result<Done, Fault> {
        self.inner.connections.sign_out(origin).await?;
        Ok(Done {})
    }
}
