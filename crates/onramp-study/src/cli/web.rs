//! The options of `onramp web`.

use clap::Args;
use std::net::SocketAddr;
use std::path::PathBuf;

#[derive(Args)]
pub struct WebArguments {
    /// The address and port to listen on. Port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8180")]
    pub listen: SocketAddr,
    /// The folder of the page [default: the one that was installed or built with the program]
    #[arg(long, value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
}
