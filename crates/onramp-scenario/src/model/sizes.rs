//! Measured distributions of flow sizes, from which the sizes of transfers are drawn.

use super::choice::choice;
use onramp_config::units::{parse_size, UnitError};
use std::sync::Arc;

choice! {
    /// A measured distribution of flow sizes, with the points that simulations since pFabric use
    /// (Alizadeh et al., SIGCOMM 2013), in packets of 1460 bytes: the files `CDF_dctcp.txt` and
    /// `CDF_vl2.txt` of github.com/HKUST-SING/TrafficGenerator, folder `conf`.
    pub enum FlowSizes {
        /// A cluster that serves web search (Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM
        /// 2010, section 2.2).
        WebSearch = "web-search",
        /// A cluster of data mining (Greenberg et al., "VL2: A Scalable and Flexible Data Center
        /// Network", SIGCOMM 2009, section 3.2).
        DataMining = "data-mining",
    }
}

/// Payload of the packets in which the distributions are published.
const PACKET_BYTES: f64 = 1460.0;

/// A point of a distribution: the size in packets, and the share of flows up to this size.
type Point = (f64, f64);

const WEB_SEARCH: &[Point] = &[
    (6.0, 0.15),
    (13.0, 0.2),
    (19.0, 0.3),
    (33.0, 0.4),
    (53.0, 0.53),
    (133.0, 0.6),
    (667.0, 0.7),
    (1333.0, 0.8),
    (3333.0, 0.9),
    (6667.0, 0.97),
    (20000.0, 1.0),
];
const DATA_MINING: &[Point] = &[
    (1.0, 0.5),
    (2.0, 0.6),
    (3.0, 0.7),
    (7.0, 0.8),
    (267.0, 0.9),
    (2107.0, 0.95),
    (66667.0, 0.99),
    (666667.0, 1.0),
];

impl FlowSizes {
    fn points(self) -> &'static [Point] {
        match self {
            FlowSizes::WebSearch => WEB_SEARCH,
            FlowSizes::DataMining => DATA_MINING,
        }
    }

    /// The size in bytes up to which this share of the flows is; linear between the points.
    pub fn quantile_bytes(self, share: f64) -> u64 {
        let points = self.points();
        let place = points.partition_point(|(_, upto)| *upto < share);
        let (packets, upto) = points[place.min(points.len() - 1)];
        let Some((less_packets, less_upto)) = place.checked_sub(1).map(|less| points[less]) else {
            return (packets * PACKET_BYTES) as u64;
        };
        let part = (share - less_upto) / (upto - less_upto);
        ((less_packets + part.min(1.0) * (packets - less_packets)) * PACKET_BYTES) as u64
    }

    /// The mean in bytes.
    pub fn mean_bytes(self) -> u64 {
        let points = self.points();
        let (first, share) = points[0];
        let between = points.windows(2).map(|pair| {
            let [(low, from), (high, upto)] = [pair[0], pair[1]];
            (low + high) / 2.0 * (upto - from)
        });
        ((first * share + between.sum::<f64>()) * PACKET_BYTES) as u64
    }
}

/// The payload of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Payload {
    /// This number of bytes.
    Bytes(u64),
    /// Each transfer draws its size.
    Drawn(FlowSizes),
}

impl Payload {
    /// The payload of a text, such as `1 MB` or `web-search`.
    ///
    /// # Errors
    /// If the text is neither a size with its unit nor the name of a distribution.
    pub fn parse(text: &str) -> Result<Payload, UnitError> {
        let drawn = FlowSizes::ALL
            .into_iter()
            .find(|sizes| sizes.name() == text);
        match drawn {
            Some(sizes) => Ok(Payload::Drawn(sizes)),
            None => parse_size(text).map(Payload::Bytes),
        }
    }

    /// The size, or the mean of sizes that are drawn.
    pub fn mean_bytes(self) -> u64 {
        match self {
            Payload::Bytes(bytes) => bytes,
            Payload::Drawn(sizes) => sizes.mean_bytes(),
        }
    }

    /// The distribution of sizes that are drawn.
    pub fn distribution(self) -> Option<FlowSizes> {
        match self {
            Payload::Bytes(_) => None,
            Payload::Drawn(sizes) => Some(sizes),
        }
    }
}

/// The sizes of transfers of traffic.
#[derive(Clone, Debug, PartialEq)]
pub enum Sizes {
    /// Each draws one of these. Empty: they are without end.
    Of(Arc<[u64]>),
    /// Each draws from this distribution.
    Drawn(FlowSizes),
}

impl Sizes {
    /// Whether the transfers are without end.
    pub fn are_endless(&self) -> bool {
        matches!(self, Sizes::Of(sizes) if sizes.is_empty())
    }

    /// The largest size; `None`: they are without end.
    pub fn max_bytes(&self) -> Option<u64> {
        match self {
            Sizes::Of(sizes) => sizes.iter().copied().max(),
            Sizes::Drawn(sizes) => Some(sizes.quantile_bytes(1.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    #[test]
    fn the_means_are_the_published_ones() {
        // The scripts that use these files have 1138 and 5117 packets.
        for (sizes, published) in [
            (FlowSizes::WebSearch, 1138.0),
            (FlowSizes::DataMining, 5117.0),
        ] {
            let packets = sizes.mean_bytes() as f64 / PACKET_BYTES;
            assert!((packets / published - 1.0).abs() < 0.005, "{packets}");
        }
    }

    #[test]
    fn quantiles_are_linear_between_the_points() {
        let packets = |share| FlowSizes::WebSearch.quantile_bytes(share) / 1460;
        assert_eq!(
            [0.01, 0.15, 0.57, 0.6, 1.0].map(packets),
            [6, 6, 98, 133, 20000]
        );
    }

    #[test]
    fn drawn_sizes_have_the_distribution_and_its_mean() {
        let mut stream = Stream::new(1);
        let sizes: Vec<u64> = (0..200_000)
            .map(|_| FlowSizes::WebSearch.quantile_bytes(stream.unit()))
            .collect();
        let mean = sizes.iter().sum::<u64>() as f64 / sizes.len() as f64;
        assert!(
            (mean / FlowSizes::WebSearch.mean_bytes() as f64 - 1.0).abs() < 0.02,
            "{mean}"
        );
        let small = sizes.iter().filter(|bytes| **bytes <= 53 * 1460).count();
        assert!(small.abs_diff(106_000) < 1000, "{small}");
    }
}
