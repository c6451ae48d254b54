//! Tools of a server that speaks the Model Context Protocol over streamable HTTP. One connection a read.

use std::fmt;
use std::time::Duration;

use rmcp::model::{CallToolRequestParams, ContentBlock};
use rmcp::service::RunningService;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{RoleClient, ServiceExt as _};

use super::http::{Clients, address};
use crate::connectors::source::{Failure, ToolCall};

/// Longest wait for a server's greeting, and for an answer.
const TIME_MAX: Duration = Duration::from_secs(20);
/// Characters of a tool's complaint that are shown.
const COMPLAINT_MAX: usize = 300;
/// Largest answer.
const BYTES_MAX: usize = 8 << 20;

/// The server that a read speaks to.
#[derive(Default)]
pub(super) struct Tools {
    server: Option<(String, RunningService<RoleClient, ()>)>,
}

impl fmt::Debug for Tools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tools").field("connected", &self.server.is_some()).finish()
    }
}

impl Tools {
    /// Calls a tool, and connects where that was not done yet.
    pub(super) async fn call(&mut self, clients: &Clients, call: &ToolCall) -> Result<String, Failure> {
        if self.server.as_ref().is_none_or(|(url, _)| *url != call.url) {
            self.close().await;
            self.server = Some((call.url.clone(), connect(clients, call).await?));
        }
        let Some((_, server)) = &self.server else {
            return Err(Failure::Broken("no server is connected".to_owned()));
        };
        let mut parameters = CallToolRequestParams::new(call.tool);
        if let serde_json::Value::Object(arguments) = &call.arguments {
            parameters = parameters.with_arguments(arguments.clone());
        }
        let answered = tokio::time::timeout(TIME_MAX, server.call_tool(parameters)).await;
        let answer = match answered {
            Err(_) => return Err(Failure::TimedOut { seconds: TIME_MAX.as_secs() }),
            Ok(Err(_)) => {
                return Err(Failure::Unreachable(format!("the tool `{}` did not answer", call.tool)));
            }
            Ok(Ok(answer)) => answer,
        };
        let text = answer.content.iter().find_map(|block| match block {
            ContentBlock::Text(text) => Some(text.text.clone()),
            _ => None,
        });
        let Some(text) = text else {
            return Err(Failure::NotUnderstood(format!("the tool `{}` gave no text", call.tool)));
        };
        if answer.is_error == Some(true) {
            let complaint: String = text.chars().take(COMPLAINT_MAX).collect();
            let complaint = complaint.split_whitespace().collect::<Vec<_>>().join(" ");
            return Err(Failure::NotUnderstood(format!("the tool `{}` says: {complaint}", call.tool)));
        }
        Ok(text)
    }

    pub(super) async fn close(&mut self) {
        if let Some((_, server)) = self.server.take() {
            let _ = tokio::time::timeout(Duration::from_secs(2), server.cancel()).await;
        }
    }
}

async fn connect(clients: &Clients, call: &ToolCall) -> Result<RunningService<RoleClient, ()>, Failure> {
    let url = address(&call.url)?;
    let client = clients.of(&url, call.allow_private)?.clone();
    let config = StreamableHttpClientTransportConfig::with_uri(url.as_str())
        .max_json_response_size(BYTES_MAX)
        .max_sse_event_size(BYTES_MAX);
    let transport = StreamableHttpClientTransport::with_client(client, config);
    match tokio::time::timeout(TIME_MAX, ().serve(transport)).await {
        Err(_) => Err(Failure::TimedOut { seconds: TIME_MAX.as_secs() }),
        Ok(Ok(server)) => Ok(server),
        // The words of the library hold the address.
        Ok(Err(error)) => Err(refused(&format!("{error:?}"))),
    }
}

fn refused(words: &str) -> Failure {
    let status = [401, 403, 404].into_iter().find(|status| words.contains(&status.to_string()));
    match status {
        Some(status) => Failure::Denied { status },
        None => Failure::Unreachable("no server for tools answers there".to_owned()),
    }
}
